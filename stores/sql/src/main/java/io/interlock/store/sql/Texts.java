package io.interlock.store.sql;

import io.interlock.InvalidSettingException;
import org.jspecify.annotations.Nullable;

/** What every database can keep of the texts of Java: no NUL, and no half of a surrogate pair. */
final class Texts {

    private static final int SHOWN = 40;

    private Texts() {}

    /**
     * {@code text}, which programs compare and work with, so it must be kept as it is.
     *
     * @throws InvalidSettingException if that is not possible
     */
    static String exact(String setting, String text) {
        int bad = firstBad(text);
        if (bad >= 0) {
            String shown = shown(text);
            throw new InvalidSettingException(
                    setting,
                    shown.length() > SHOWN ? shown.substring(0, SHOWN) + "…" : shown,
                    String.format("contains the character U+%04X, which cannot be kept", (int) text.charAt(bad)),
                    "remove NUL characters and lone surrogates, or write them as escapes");
        }
        return text;
    }

    /**
     * {@code text}, which people read, with a mark in place of what cannot be kept: no work is lost over it. The mark is a
     * single byte, as what it stands for was counted, so that a text within its limit stays within it.
     */
    static String shown(String text) {
        if (firstBad(text) < 0) {
            return text;
        }
        StringBuilder kept = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            kept.append(isBad(text, i) ? '?' : text.charAt(i));
        }
        return kept.toString();
    }

    static @Nullable String shownOrNull(@Nullable String text) {
        return text == null ? null : shown(text);
    }

    /**
     * The first text behind all that begin with {@code prefix}, in the order of code points, which is that of the tables;
     * {@code null} if there is none.
     */
    static @Nullable String behind(String prefix) {
        int end = prefix.length();
        while (end > 0) {
            int last = prefix.codePointBefore(end);
            end -= Character.charCount(last);
            if (last < Character.MAX_CODE_POINT) {
                // There are no characters from U+D800 to U+DFFF.
                int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
                return prefix.substring(0, end) + Character.toString(next);
            }
        }
        return null;
    }

    private static int firstBad(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (isBad(text, i)) {
                return i;
            }
        }
        return -1;
    }

    private static boolean isBad(String text, int at) {
        char c = text.charAt(at);
        if (Character.isHighSurrogate(c)) {
            return at + 1 == text.length() || !Character.isLowSurrogate(text.charAt(at + 1));
        }
        return c == 0 || (Character.isLowSurrogate(c) && (at == 0 || !Character.isHighSurrogate(text.charAt(at - 1))));
    }
}
