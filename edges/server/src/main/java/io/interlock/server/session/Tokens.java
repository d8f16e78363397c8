package io.interlock.server.session;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.random.RandomGenerator;

/** Secrets that browsers carry, and hashes of them. */
public final class Tokens {

    private static final int BYTES = 32;
    private static final Base64.Encoder TEXT = Base64.getUrlEncoder().withoutPadding();

    private Tokens() {}

    /** A new secret of 43 characters. */
    public static String draw(RandomGenerator random) {
        byte[] bits = new byte[BYTES];
        random.nextBytes(bits);
        return TEXT.encodeToString(bits);
    }

    /** SHA-256, as 64 hexadecimal digits. */
    public static String hash(String text) {
        return HexFormat.of().formatHex(sha256(text));
    }

    /** SHA-256. */
    public static byte[] sha256(String text) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }

    /** Whether two are the same; it takes the same time wherever they differ. */
    public static boolean same(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}
