package io.interlock.engine.http;

import io.interlock.InvalidSettingException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Signs messages, and checks signed ones, as Standard Webhooks 1.0 says: headers {@code webhook-id}, {@code webhook-timestamp} and
 * {@code webhook-signature}, the last being {@code v1,} and the Base64 of HMAC-SHA256 over {@code id.timestamp.body}.
 *
 * <p>With several secrets a message is signed by each, and good if one fits, so that a secret can be changed without losing any.
 * Safe for use by many threads. {@link #toString()} shows no secret.
 */
public final class WebhookSigner extends SignatureCheck {

    static final String ID = "webhook-id";
    static final String TIMESTAMP = "webhook-timestamp";
    static final String SIGNATURE = "webhook-signature";

    private static final String PREFIX = "whsec_";
    private static final String VERSION = "v1,";
    private static final int LEAST_BYTES = 24;
    private static final int MOST_BYTES = 64;
    private static final int MOST_SIGNATURES = 20;
    private static final Pattern PLAIN_ID = Pattern.compile("[A-Za-z0-9_-]{1,200}");

    private final List<byte[]> keys;

    /**
     * Signs with these secrets.
     *
     * @param secrets each {@code whsec_} and the Base64 of 24 to 64 bytes; the newest first
     */
    public WebhookSigner(List<String> secrets, InstantSource clock) {
        super(clock);
        if (secrets.isEmpty()) {
            throw new InvalidSettingException("secret", "", "is missing", "name at least one");
        }
        this.keys = secrets.stream().map(WebhookSigner::key).toList();
    }

    /**
     * The headers of a message that is sent now.
     *
     * @param id its name, the same when it is sent again: letters, digits, {@code _} and {@code -}
     */
    public Map<String, String> sign(String id, byte[] body) {
        if (!PLAIN_ID.matcher(id).matches()) {
            throw new InvalidSettingException(ID, id, "must be 1 to 200 of A-Z a-z 0-9 _ -", "choose a plain one");
        }
        String timestamp = Long.toString(clock.instant().getEpochSecond());
        Map<String, String> headers = new LinkedHashMap<>();
        headers.put(ID, id);
        headers.put(TIMESTAMP, timestamp);
        headers.put(
                SIGNATURE,
                signatures(id, timestamp, body).stream()
                        .map(signature -> VERSION + Base64.getEncoder().encodeToString(signature))
                        .collect(Collectors.joining(" ")));
        return headers;
    }

    @Override
    public String header() {
        return SIGNATURE;
    }

    /** It is in a header, {@code webhook-id}, which is signed with the body. */
    @Override
    public Optional<String> eventIdPath() {
        return Optional.empty();
    }

    /**
     * {@inheritDoc}
     *
     * <p>A receiver must still keep the ids of messages for as long as {@link #TOLERANCE}, since the same message may come twice.
     */
    @Override
    public boolean verify(Function<String, @Nullable String> header, byte[] body) {
        String id = header.apply(ID);
        String timestamp = header.apply(TIMESTAMP);
        String signature = header.apply(SIGNATURE);
        if (id == null || timestamp == null || signature == null || !isRecent(timestamp)) {
            return false;
        }
        return fits(given(signature), signatures(id, timestamp, body));
    }

    @Override
    public String toString() {
        return "WebhookSigner[" + keys.size() + " secrets]";
    }

    private static List<byte[]> given(String header) {
        List<byte[]> signatures = new ArrayList<>();
        for (String part : header.split(" ", MOST_SIGNATURES + 1)) {
            if (part.startsWith(VERSION) && signatures.size() < MOST_SIGNATURES) {
                try {
                    signatures.add(Base64.getDecoder().decode(part.substring(VERSION.length())));
                } catch (IllegalArgumentException noBase64) {
                    // Then it fits nothing.
                }
            }
        }
        return signatures;
    }

    private List<byte[]> signatures(String id, String timestamp, byte[] body) {
        byte[] start = (id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8);
        return keys.stream().map(key -> hmac(key, start, body)).toList();
    }

    private static byte[] key(String secret) {
        byte[] bytes = {};
        if (secret.startsWith(PREFIX)) {
            try {
                bytes = Base64.getDecoder().decode(secret.substring(PREFIX.length()));
            } catch (IllegalArgumentException noBase64) {
                bytes = new byte[0];
            }
        }
        if (bytes.length < LEAST_BYTES || bytes.length > MOST_BYTES) {
            throw new InvalidSettingException(
                    "secret",
                    "***",
                    "must be " + PREFIX + " and the Base64 of " + LEAST_BYTES + " to " + MOST_BYTES + " bytes",
                    "make one with: echo whsec_$(head -c 32 /dev/urandom | base64)");
        }
        return bytes;
    }
}
