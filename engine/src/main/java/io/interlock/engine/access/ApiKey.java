package io.interlock.engine.access;

import io.interlock.Sha256;
import io.interlock.access.AccessKey;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;

/**
 * An API key as its owner has it: {@code ilk_<id>_<secret>_<checksum>}. The id finds it, the secret of 256 bits proves it, the
 * checksum tells a mistyped key, or one found by a scanner of leaks, without asking the store.
 *
 * <p>{@link #text()} is the only way to the secret; {@link #toString()} does not show it.
 */
public final class ApiKey {

    /** What all keys begin with, for scanners of leaks and for redacting. */
    public static final String PREFIX = "ilk_";

    private static final String BOOTSTRAP = "boot";
    private static final int ID_WIDTH = 12;
    private static final int SECRET_WIDTH = 43;
    private static final int CHECKSUM_WIDTH = 6;
    private static final Pattern FORM = Pattern.compile(PREFIX + "([0-9A-Za-z]{" + ID_WIDTH + "})_([0-9A-Za-z]{"
            + SECRET_WIDTH + "})_([0-9A-Za-z]{" + CHECKSUM_WIDTH + "})");

    /** Compared with when there is no such key, so that an unknown id takes as long as a wrong secret. */
    private static final String NO_HASH = "0".repeat(64);

    // Nothing to escape in a URL, a shell or a header, and one word for a double click.
    private static final String DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final BigInteger BASE = BigInteger.valueOf(DIGITS.length());

    private final String id;
    private final String secret;

    private ApiKey(String id, String secret) {
        this.id = id;
        this.secret = secret;
    }

    public static ApiKey draw(RandomGenerator random) {
        String id = random(random, ID_WIDTH);
        while (id.startsWith(BOOTSTRAP)) {
            id = random(random, ID_WIDTH);
        }
        return new ApiKey(id, secret(random));
    }

    /** Draws the one key that may act for any tenant; its id tells it. */
    static ApiKey drawBootstrap(RandomGenerator random) {
        return new ApiKey(BOOTSTRAP + random(random, ID_WIDTH - BOOTSTRAP.length()), secret(random));
    }

    /** Reads what a client sent; empty if it cannot be a key. */
    public static Optional<ApiKey> parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            return Optional.empty();
        }
        ApiKey key = new ApiKey(matcher.group(1), matcher.group(2));
        return key.checksum().equals(matcher.group(3)) ? Optional.of(key) : Optional.empty();
    }

    /** Whether an id is that of a bootstrap key. No other key is given such an id. */
    static boolean isBootstrap(String id) {
        return id.length() == ID_WIDTH && id.startsWith(BOOTSTRAP);
    }

    /** Takes the time of {@link #opens} for a key that does not exist. */
    void opensNothing() {
        boolean never = matches(NO_HASH);
        assert !never : "no secret has this hash";
    }

    /** Whether this is {@code kept}; takes the same time whatever the secret is. */
    public boolean opens(AccessKey kept) {
        return matches(kept.hash()) && kept.id().equals(id);
    }

    private boolean matches(String hash) {
        return MessageDigest.isEqual(
                hash().getBytes(StandardCharsets.US_ASCII), hash.getBytes(StandardCharsets.US_ASCII));
    }

    public String id() {
        return id;
    }

    /** SHA-256 of the secret, as 64 hexadecimal digits. A secret of 256 bits needs no slow hash. */
    public String hash() {
        return Sha256.hex(secret);
    }

    /** The whole key, secret included: to be shown once, to its owner. */
    public String text() {
        return PREFIX + id + "_" + secret + "_" + checksum();
    }

    @Override
    public String toString() {
        return "API key " + id;
    }

    private String checksum() {
        CRC32 crc = new CRC32();
        crc.update((PREFIX + id + "_" + secret).getBytes(StandardCharsets.US_ASCII));
        return encode(BigInteger.valueOf(crc.getValue()), CHECKSUM_WIDTH);
    }

    private static String secret(RandomGenerator random) {
        byte[] bits = new byte[32];
        random.nextBytes(bits);
        return encode(new BigInteger(1, bits), SECRET_WIDTH);
    }

    /** {@code number}, not negative, with leading zeros up to {@code width}. */
    private static String encode(BigInteger number, int width) {
        char[] text = new char[width];
        Arrays.fill(text, DIGITS.charAt(0));
        BigInteger rest = number;
        for (int i = width - 1; rest.signum() > 0; i--) {
            BigInteger[] parts = rest.divideAndRemainder(BASE);
            text[i] = DIGITS.charAt(parts[1].intValue());
            rest = parts[0];
        }
        return new String(text);
    }

    /** {@code width} characters, each by chance. */
    private static String random(RandomGenerator random, int width) {
        StringBuilder text = new StringBuilder(width);
        for (int i = 0; i < width; i++) {
            text.append(DIGITS.charAt(random.nextInt(DIGITS.length())));
        }
        return text.toString();
    }
}
