package io.interlock.engine.http;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
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

    static final String ALGORITHM = "HmacSHA256";
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

    static byte[] signature(SecretKeySpec key, String start, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update(start.getBytes(StandardCharsets.UTF_8));
            return mac.doFinal(body);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
