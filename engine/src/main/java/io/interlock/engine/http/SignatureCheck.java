package io.interlock.engine.http;

import io.interlock.InvalidSettingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/** Tells whether a message was signed by a sender that knows a secret. Thread-safe. */
public abstract class SignatureCheck {

    /** How far a timestamp may be from now, either way. */
    public static final Duration TOLERANCE = Duration.ofMinutes(5);

    private static final String ALGORITHM = "HmacSHA256";
    private static final Pattern SECONDS = Pattern.compile("\\d{1,12}");

    final InstantSource clock;

    SignatureCheck(InstantSource clock) {
        this.clock = clock;
    }

    /** The header, in small letters, without which a message is not signed in this way. */
    public abstract String header();

    /** Where the signed body has the id of its event, if this kind of message says so. */
    public abstract Optional<String> eventIdPath();

    /**
     * Whether a message was signed with one of the secrets, not long ago.
     *
     * @param header gives a header by its name in small letters, or {@code null}
     */
    public abstract boolean verify(Function<String, @Nullable String> header, byte[] body);

    final boolean isRecent(String timestamp) {
        if (!SECONDS.matcher(timestamp).matches()) {
            return false;
        }
        Instant sent = Instant.ofEpochSecond(Long.parseLong(timestamp));
        return Duration.between(sent, clock.instant()).abs().compareTo(TOLERANCE) <= 0;
    }

    /** HMAC-SHA256 over {@code parts}, one after the other. */
    public static byte[] hmac(byte[] secret, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has " + ALGORITHM, impossible);
        }
    }

    /** Whether one of the signatures {@code given} is one of those {@code expected}. */
    static boolean fits(List<byte[]> given, List<byte[]> expected) {
        boolean fits = false;
        for (byte[] one : given) {
            for (byte[] other : expected) {
                // No early end: how long it takes must not say which one fits.
                fits |= MessageDigest.isEqual(one, other);
            }
        }
        return fits;
    }

    /**
     * Checks messages that Stripe signed: the header {@code Stripe-Signature} is {@code t=SECONDS,v1=HEX}, the latter being HMAC-SHA256
     * over {@code SECONDS.body}. While a secret is changed Stripe sends a {@code v1} for each; one that fits is enough. Other versions
     * count for nothing.
     *
     * <p>Immutable, and so safe for use by many threads. {@link #toString()} shows no secret.
     */
    public static final class StripeSignature extends SignatureCheck {

        private static final String HEADER = "stripe-signature";
        private static final int LEAST_LENGTH = 16;
        private static final int MOST_PARTS = 20;

        private final byte[] key;

        /**
         * Checks with this secret.
         *
         * @param secret the endpoint's signing secret as Stripe shows it, {@code whsec_…}: all of it, as text
         */
        public StripeSignature(String secret, InstantSource clock) {
            super(clock);
            if (secret.length() < LEAST_LENGTH) {
                throw new InvalidSettingException(
                        "secret",
                        "***",
                        "has " + secret.length() + " characters; the least is " + LEAST_LENGTH,
                        "copy the signing secret of the endpoint, whsec_…, from Stripe");
            }
            key = secret.getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public String header() {
            return HEADER;
        }

        @Override
        public Optional<String> eventIdPath() {
            return Optional.of("id");
        }

        @Override
        public boolean verify(Function<String, @Nullable String> header, byte[] body) {
            String given = header.apply(HEADER);
            if (given == null) {
                return false;
            }
            String timestamp = "";
            List<byte[]> signatures = new ArrayList<>();
            for (String part : given.split(",", MOST_PARTS + 1)) {
                String plain = part.strip();
                if (plain.startsWith("t=")) {
                    timestamp = plain.substring(2);
                } else if (plain.startsWith("v1=")) {
                    decoded(plain.substring(3)).ifPresent(signatures::add);
                }
            }
            if (!isRecent(timestamp)) {
                return false;
            }
            byte[] expected = hmac(key, (timestamp + ".").getBytes(StandardCharsets.UTF_8), body);
            return fits(signatures, List.of(expected));
        }

        @Override
        public String toString() {
            return "StripeSignature[***]";
        }

        private static Optional<byte[]> decoded(String hex) {
            try {
                return Optional.of(HexFormat.of().parseHex(hex));
            } catch (IllegalArgumentException noHex) {
                return Optional.empty();
            }
        }
    }
}
