package io.interlock.server.compat;

import io.interlock.LockKey;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The id of a cluster, with what never changes about the cluster: its name, base domain and platform. An id has at most 64 characters;
 * the caller chooses it, or it is the name and a serial. Of a cluster an operator has adopted nothing but the id is known.
 *
 * @param name a DNS label; of an adopted cluster, the id
 * @param baseDomain a domain, or {@code null} if it is not known
 * @param platform without dots, or {@code null} if it is not known
 */
record ClusterId(
        String text,
        String name,
        @Nullable String baseDomain,
        @Nullable String platform) {

    static final String KEYS = "cluster/";

    /** What is known about a cluster beside its state is the state of a resource of this kind. */
    static final String FACTS = "cluster-facts";

    private static final String NAMES = "cluster-name/";
    private static final int LONGEST = 64;
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]*");
    private static final Pattern NAME = Pattern.compile("([^./]+)\\.([^/]+)\\.([^./]+)");
    private static final int DIGITS = 36;
    private static final int SERIAL = 10;
    private static final long SERIALS = (long) Math.pow(DIGITS, SERIAL - 1);

    /** One with an id that no other has. */
    static ClusterId create(String name, String baseDomain, String platform, RandomGenerator random) {
        // Ten digits of base 36, the first of which is never 0.
        String serial = Long.toString(random.nextLong(SERIALS, SERIALS * DIGITS), DIGITS);
        String start = name.substring(0, Math.min(name.length(), LONGEST - SERIAL - 1));
        return new ClusterId(start + "-" + serial, name, baseDomain, platform);
    }

    /** Whether {@code text} can be an id. */
    static boolean isPlain(String text) {
        return PLAIN.matcher(text).matches();
    }

    static ClusterId adopted(String text) {
        return new ClusterId(text, text, null, null);
    }

    /** One with what {@link #facts()} wrote about it. */
    static ClusterId of(String text, String facts) {
        JsonObject json = new JsonObject(facts);
        return new ClusterId(text, json.getString("name"), json.getString("base_domain"), json.getString("platform"));
    }

    /** The one called {@code text} among those whose name is {@code nameKey}. */
    static Optional<ClusterId> named(LockKey nameKey, String text) {
        Matcher parts =
                NAME.matcher(nameKey.name().startsWith(NAMES) ? nameKey.name().substring(NAMES.length()) : "");
        return parts.matches()
                ? Optional.of(new ClusterId(text, parts.group(1), parts.group(2), parts.group(3)))
                : Optional.empty();
    }

    /** What its jobs are exclusive under. */
    LockKey key(String tenant) {
        return LockKey.of(tenant, KEYS + text);
    }

    /** Under which what is known about it is kept. */
    LockKey factsKey(String tenant) {
        return LockKey.of(tenant, FACTS + "/" + text);
    }

    /** What is known about it, to be kept. */
    String facts() {
        return new JsonObject()
                .put("name", name)
                .put("base_domain", baseDomain)
                .put("platform", platform)
                .encode();
    }

    /** Under which clusters of one name meet, if it has a name. */
    Optional<LockKey> nameKey(String tenant) {
        return baseDomain == null || platform == null
                ? Optional.empty()
                : Optional.of(LockKey.of(tenant, NAMES + name + "." + baseDomain + "." + platform));
    }

    /** Another one of the same name. */
    ClusterId twin(String text) {
        return new ClusterId(text, name, baseDomain, platform);
    }

    @Override
    public String toString() {
        return text;
    }
}
