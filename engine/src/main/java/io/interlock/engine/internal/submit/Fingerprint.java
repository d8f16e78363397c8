package io.interlock.engine.internal.submit;

import io.interlock.engine.RunRequest;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Optional;
import java.util.TreeMap;

/** What a request asks for, as a hash: the same words give the same one, on every machine and after every restart. */
public final class Fingerprint {

    private Fingerprint() {}

    /** The fingerprint of {@code request}. Who asks, and why, is no part of what is asked for. */
    static String of(RunRequest request) {
        MessageDigest digest = sha256();
        put(digest, request.key().encoded());
        put(digest, request.job().value());
        put(digest, request.execution().name());
        put(digest, request.policy().map(Enum::name).orElse(""));
        put(digest, Integer.toString(request.priority()));
        put(digest, text(request.maxWait()));
        put(digest, text(request.lease()));
        put(digest, text(request.maxRuntime()));
        put(digest, request.parameters());
        new TreeMap<>(request.labels()).forEach((name, value) -> {
            put(digest, name);
            put(digest, value);
        });
        return HexFormat.of().formatHex(digest.digest());
    }

    // With its length in front, so that no two lists of texts look alike.
    private static void put(MessageDigest digest, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        digest.update((bytes.length + ":").getBytes(StandardCharsets.US_ASCII));
        digest.update(bytes);
    }

    private static String text(Optional<Duration> duration) {
        return duration.map(Duration::toString).orElse("");
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }
}
