package io.interlock.engine.access;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.random.RandomGenerator;

/** Numbers as letters and digits: nothing to escape in a URL, a shell or a header, and one word for a double click. */
final class Base62 {

    private static final String DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final BigInteger BASE = BigInteger.valueOf(DIGITS.length());

    private Base62() {}

    /** {@code number}, not negative, with leading zeros up to {@code width}. */
    static String encode(BigInteger number, int width) {
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

    /** The same, for a number that is small enough. */
    static String encode(long number, int width) {
        char[] text = new char[width];
        long rest = number;
        for (int i = width - 1; i >= 0; i--) {
            text[i] = DIGITS.charAt((int) (rest % DIGITS.length()));
            rest /= DIGITS.length();
        }
        return new String(text);
    }

    /** {@code width} characters, each by chance. */
    static String random(RandomGenerator random, int width) {
        StringBuilder text = new StringBuilder(width);
        for (int i = 0; i < width; i++) {
            text.append(DIGITS.charAt(random.nextInt(DIGITS.length())));
        }
        return text.toString();
    }
}
