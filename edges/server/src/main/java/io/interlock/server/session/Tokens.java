package io.interlock.server.session;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
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

    /** Whether two are the same; it takes the same time wherever they differ. */
    public static boolean same(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }
}
