package io.interlock;

import java.nio.charset.StandardCharsets;
import java.text.Normalizer;
import org.jspecify.annotations.Nullable;

/**
 * What is exclusive: a tenant and a {@code /}-separated name, for example {@code acme1281} and
 * {@code pipeline/gcp_billing_export}.
 *
 * <p>Two keys are the same only if tenant and name are equal character by character; {@link #encoded()} is therefore
 * injective, because a tenant cannot contain the colon that separates the two. Keys sort by tenant, then by name, in
 * the
 * order of their UTF-8 bytes; every store locks several keys in this order.
 *
 * @param tenant 1 to 64 characters of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit
 * @param name 1 to 512 bytes of UTF-8 in normal form C, without control characters
 */
public record LockKey(String tenant, String name) implements Comparable<LockKey> {

    /** The tenant of keys that name none. */
    public static final String DEFAULT_TENANT = "default";

    /** The longest name, in bytes of UTF-8. */
    public static final int MAX_NAME_BYTES = 512;

    private static final int MAX_TENANT = 64;

    /**
     * Checks both parts.
     *
     * @throws InvalidKeyException if a part is invalid; the message names the rule
     */
    public LockKey {
        if (!isTenant(tenant)) {
            throw new InvalidKeyException(
                    "tenant",
                    tenant,
                    "must be 1 to 64 characters of A-Z a-z 0-9 . _ - and begin with a letter or digit",
                    "choose a plain identifier for the tenant");
        }
        requireName(name);
    }

    /** The key {@code name} of tenant {@value #DEFAULT_TENANT}. */
    public static LockKey of(String name) {
        return new LockKey(DEFAULT_TENANT, name);
    }

    public static LockKey of(String tenant, String name) {
        return new LockKey(tenant, name);
    }

    /**
     * The key that {@link #encoded()} wrote.
     *
     * @throws InvalidKeyException if {@code encoded} has no colon or a part is invalid
     */
    public static LockKey decode(String encoded) {
        int colon = encoded.indexOf(':');
        if (colon < 0) {
            throw new InvalidKeyException("encoded key", encoded, "has no ':'", "write it as tenant:name");
        }
        return new LockKey(encoded.substring(0, colon), encoded.substring(colon + 1));
    }

    /** {@code tenant:name}; different keys have different encodings. */
    public String encoded() {
        return tenant + ':' + name;
    }

    @Override
    public int compareTo(LockKey other) {
        int byTenant = tenant.compareTo(other.tenant);
        return byTenant != 0 ? byTenant : compareByCodePoint(name, other.name);
    }

    @Override
    public String toString() {
        return encoded();
    }

    // Loops instead of a pattern and a stream: each row of a store that is read becomes a key.
    private static boolean isTenant(String tenant) {
        for (int i = 0; i < tenant.length(); i++) {
            char c = tenant.charAt(i);
            boolean plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            if (!plain && (i == 0 || (c != '.' && c != '_' && c != '-'))) {
                return false;
            }
        }
        return !tenant.isEmpty() && tenant.length() <= MAX_TENANT;
    }

    private static void requireName(String name) {
        if (name.isEmpty()) {
            throw new InvalidKeyException("key", name, "is empty", "name what is exclusive, for example ledger/4711");
        }
        int codePoint;
        for (int i = 0; i < name.length(); i += Character.charCount(codePoint)) {
            codePoint = name.codePointAt(i);
            if (isForbidden(codePoint)) {
                throw new InvalidKeyException(
                        "key",
                        name,
                        String.format("contains the character U+%04X", codePoint),
                        "remove control characters, line separators and lone surrogates");
            }
        }
        if (!Normalizer.isNormalized(name, Normalizer.Form.NFC)) {
            throw new InvalidKeyException(
                    "key", name, "is not in Unicode normal form C", "normalise it with java.text.Normalizer first");
        }
        int bytes = name.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_NAME_BYTES) {
            throw new InvalidKeyException(
                    "key",
                    name,
                    "has " + bytes + " bytes; the limit is " + MAX_NAME_BYTES,
                    "shorten it, or use a hash of the long part");
        }
    }

    private static boolean isForbidden(int codePoint) {
        int type = Character.getType(codePoint);
        return type == Character.CONTROL
                || type == Character.SURROGATE
                || type == Character.LINE_SEPARATOR
                || type == Character.PARAGRAPH_SEPARATOR;
    }

    // String.compareTo orders by UTF-16 unit, which differs from the order of UTF-8 bytes beyond U+FFFF.
    private static int compareByCodePoint(String a, String b) {
        int i = 0;
        int shorter = Math.min(a.length(), b.length());
        while (i < shorter) {
            int x = a.codePointAt(i);
            int y = b.codePointAt(i);
            if (x != y) {
                return Integer.compare(x, y);
            }
            i += Character.charCount(x);
        }
        return Integer.compare(a.length(), b.length());
    }

    // Written out: what a record makes by itself is linked at its first use, which costs each start of the command line
    // milliseconds.
    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof LockKey that && name.equals(that.name) && tenant.equals(that.tenant);
    }

    @Override
    public int hashCode() {
        return 31 * tenant.hashCode() + name.hashCode();
    }
}
