package io.interlock.engine.http;

import io.interlock.InvalidSettingException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Checks messages that Stripe signed: the header {@code Stripe-Signature} is {@code t=SECONDS,v1=HEX}, the latter being HMAC-SHA256
 * over {@code SECONDS.body}. While a secret is changed Stripe sends a {@code v1} for each; one that fits is enough. Other versions
 * count for nothing.
 *
 * <p>Immutable, and so safe for use by many threads. {@link #toString()} shows no secret.
 */
public final class StripeSignature extends SignatureCheck {

    private static final String HEADER = "stripe-signature";
    private static final int LEAST_LENGTH = 16;
    private static final int MOST_PARTS = 20;

    private final SecretKeySpec key;

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
        key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
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
        byte[] expected = signature(key, timestamp + ".", body);
        boolean good = false;
        for (byte[] signature : signatures) {
            // No early end: how long it takes must not say which one fits.
            good |= MessageDigest.isEqual(expected, signature);
        }
        return good;
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
