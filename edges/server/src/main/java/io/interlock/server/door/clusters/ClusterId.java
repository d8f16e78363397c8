package io.interlock.server.door.clusters;

import io.interlock.LockKey;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a cluster: {@code name.base-domain.platform.serial}. It says all there is to say about the cluster that never
 * changes, so nothing else has to be kept, and people see in every key and log line which cluster is meant.
 *
 * @param name a DNS label
 * @param baseDomain a domain
 * @param platform without dots
 * @param serial tells it from others that had the same name
 */
record ClusterId(String name, String baseDomain, String platform, String serial) {

    static final String KEYS = "cluster/";

    private static final String NAMES = "cluster-name/";

    private static final Pattern FORM = Pattern.compile("([^./]+)\\.([^/]+)\\.([^./]+)\\.([0-9a-z]{10})");
    private static final int DIGITS = 36;
    private static final long SERIALS = (long) Math.pow(DIGITS, 9);

    static ClusterId create(String name, String baseDomain, String platform, RandomGenerator random) {
        // Ten digits of base 36, the first of which is never 0.
        return new ClusterId(
                name, baseDomain, platform, Long.toString(random.nextLong(SERIALS, SERIALS * DIGITS), DIGITS));
    }

    static Optional<ClusterId> parse(String text) {
        Matcher parts = FORM.matcher(text);
        return parts.matches()
                ? Optional.of(new ClusterId(parts.group(1), parts.group(2), parts.group(3), parts.group(4)))
                : Optional.empty();
    }

    /** The one with {@code serial} among those whose name is {@code nameKey}. */
    static Optional<ClusterId> named(LockKey nameKey, String serial) {
        return nameKey.name().startsWith(NAMES)
                ? parse(nameKey.name().substring(NAMES.length()) + "." + serial)
                : Optional.empty();
    }

    /** What its jobs are exclusive under. */
    LockKey key(String tenant) {
        return LockKey.of(tenant, KEYS + this);
    }

    /** Under which clusters of one name meet. */
    LockKey nameKey(String tenant) {
        return LockKey.of(tenant, NAMES + name + "." + baseDomain + "." + platform);
    }

    /** Another one of the same name. */
    ClusterId twin(String serial) {
        return new ClusterId(name, baseDomain, platform, serial);
    }

    @Override
    public String toString() {
        return name + "." + baseDomain + "." + platform + "." + serial;
    }
}
