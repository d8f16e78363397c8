package io.interlock.store.redis;

import io.lettuce.core.codec.Base16;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The Lua scripts in this jar: one for each step, which makes it atomic. */
enum Script {
    ATTACH("head", "attach"),
    ACQUIRE("head", "leases", "acquire"),
    RENEW("head", "leases", "renew"),
    RELEASE("head", "leases", "release"),
    EVICT("head", "leases", "evict"),
    FIND("head", "leases", "find"),
    LIST("head", "leases", "list"),
    SWEEP("head", "leases", "sweep"),
    BUMP("head", "leases", "bump");

    private final String text;
    private final String sha1;

    Script(String... parts) {
        StringBuilder joined = new StringBuilder();
        for (String part : parts) {
            joined.append(load(part + ".lua"));
        }
        text = joined.toString();
        sha1 = Base16.digest(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The whole script. */
    String text() {
        return text;
    }

    /** The hash by which Redis identifies it. */
    String sha1() {
        return sha1;
    }

    private static String load(String resource) {
        try (InputStream in = Script.class.getResourceAsStream(resource)) {
            if (in == null) {
                throw new IllegalStateException("the jar of the Redis store lacks " + resource);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
