package io.interlock.engine.notify;

import io.interlock.InvalidSettingException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What a webhook is signed with, as Standard Webhooks has it. It shows itself to nobody. */
public final class WebhookSecret {

    private static final String PREFIX = "whsec_";
    private static final int LEAST = 24;
    private static final int MOST = 64;

    private final SecretKeySpec key;

    private WebhookSecret(byte[] key) {
        this.key = new SecretKeySpec(key, "HmacSHA256");
    }

    /**
     * Reads a secret.
     *
     * @param text 24 to 64 bytes as Base64, with or without {@code whsec_} before it
     * @throws InvalidSettingException if it is none; the message does not contain it
     */
    public static WebhookSecret parse(String text) {
        String encoded = text.strip();
        if (encoded.startsWith(PREFIX)) {
            encoded = encoded.substring(PREFIX.length());
        }
        byte[] bytes;
        try {
            bytes = Base64.getDecoder().decode(encoded);
        } catch (IllegalArgumentException notBase64) {
            throw wrong("is not Base64");
        }
        if (bytes.length < LEAST || bytes.length > MOST) {
            throw wrong("has " + bytes.length + " bytes; it must have " + LEAST + " to " + MOST);
        }
        return new WebhookSecret(bytes);
    }

    /** The signature of {@code body} under an id and a time. */
    String sign(String id, long epochSecond, String body) {
        try {
            Mac mac = Mac.getInstance(key.getAlgorithm());
            mac.init(key);
            byte[] signed = (id + '.' + epochSecond + '.' + body).getBytes(StandardCharsets.UTF_8);
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(signed));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every JDK knows HmacSHA256", impossible);
        }
    }

    @Override
    public String toString() {
        return PREFIX + "…";
    }

    private static InvalidSettingException wrong(String broken) {
        return new InvalidSettingException(
                "notify secret", PREFIX + "…", broken, "make one with: echo \"whsec_$(openssl rand -base64 32)\"");
    }
}
