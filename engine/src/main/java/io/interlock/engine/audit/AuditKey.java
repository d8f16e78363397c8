package io.interlock.engine.audit;

import io.interlock.InvalidSettingException;
import io.interlock.run.AuditChain.AuditSignature;
import io.interlock.run.AuditChain.Seal;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A key outside the store that signs links of the audit chain with HMAC-SHA256. A chain that was written anew without it does
 * not have the link that was signed. Does not show its secret. Safe for use by many threads.
 */
public final class AuditKey {

    /** The fewest characters of a key. */
    public static final int MIN_LENGTH = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec secret;

    private AuditKey(SecretKeySpec secret) {
        this.secret = secret;
    }

    /**
     * A key.
     *
     * @param secret its text; white space around it does not count
     * @throws InvalidSettingException if it is shorter than {@link #MIN_LENGTH}
     */
    public static AuditKey of(String secret) {
        String text = secret.strip();
        if (text.length() < MIN_LENGTH) {
            throw new InvalidSettingException(
                    "audit.key-file",
                    text.length() + " characters",
                    "must hold at least " + MIN_LENGTH,
                    "make a key with: openssl rand -hex 32");
        }
        return new AuditKey(new SecretKeySpec(text.getBytes(StandardCharsets.UTF_8), ALGORITHM));
    }

    /** The signature of a link. */
    AuditSignature sign(Seal link) {
        String text = "interlock audit " + link.position() + ":" + link.hash();
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            byte[] value = mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
            return new AuditSignature(link.position(), HexFormat.of().formatHex(value));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every JDK knows " + ALGORITHM, impossible);
        }
    }

    /** Whether {@code signature} is that of {@code link}. */
    boolean hasSigned(Seal link, AuditSignature signature) {
        AuditSignature own = sign(link);
        return own.position() == signature.position()
                && MessageDigest.isEqual(
                        own.value().getBytes(StandardCharsets.UTF_8),
                        signature.value().getBytes(StandardCharsets.UTF_8));
    }

    @Override
    public String toString() {
        return "AuditKey[***]";
    }
}
