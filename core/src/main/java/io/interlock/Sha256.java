package io.interlock;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** SHA-256, which every Java has. */
public final class Sha256 {

    /** Is never fed, so that threads may copy it: a copy costs half of what a new one does. */
    private static final MessageDigest EMPTY = create();

    private Sha256() {}

    /** The hash of a text's UTF-8 bytes. */
    public static byte[] of(String text) {
        return begin().digest(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The same, as 64 hexadecimal digits. */
    public static String hex(String text) {
        return HexFormat.of().formatHex(of(text));
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
