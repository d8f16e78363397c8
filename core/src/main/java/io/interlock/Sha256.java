package io.interlock;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** SHA-256, which every Java has. */
public final class Sha256 {

    /** Is never fed, so that threads may copy it: a copy costs half of what a new one does. */
    private static final MessageDigest EMPTY = create();

    private static final String HMAC = "HmacSHA256";

    private Sha256() {}

    /** The hash of a text's UTF-8 bytes. */
    public static byte[] of(String text) {
        return begin().digest(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The same, as 64 hexadecimal digits. */
    public static String hex(String text) {
        return HexFormat.of().formatHex(of(text));
    }

    /** HMAC-SHA256 over {@code parts}, one after the other. */
    public static byte[] hmac(byte[] secret, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(secret, HMAC));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has " + HMAC, impossible);
        }
    }

    /** A hash of several parts. */
    public static MessageDigest begin() {
        try {
            return (MessageDigest) EMPTY.clone();
        } catch (CloneNotSupportedException ofThisProvider) {
            return create();
        }
    }

    private static MessageDigest create() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every Java has SHA-256", impossible);
        }
    }
}
