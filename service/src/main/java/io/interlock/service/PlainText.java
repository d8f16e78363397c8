package io.interlock.service;

/**
 * Text of others, such that a terminal or a log shows it and does nothing else with it: runs carry errors, outputs and labels that a worker
 * wrote, and an operator reads them. Control characters, C1 included, and those that end a line or turn the direction of text are written as
 * JSON writes them, so that JSON stays the same JSON.
 */
public final class PlainText {

    private PlainText() {}

    /** {@code text} with its lines and tabs. */
    public static String lines(String text) {
        return escaped(text.replace("\r\n", "\n"), "\n\t");
    }

    /** {@code text} on one line. */
    public static String oneLine(String text) {
        return escaped(text, "");
    }

    private static String escaped(String text, String kept) {
        StringBuilder plain = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (!isHarmful(c) || kept.indexOf(c) >= 0) {
                plain.append(c);
            } else {
                plain.append(c == '\n' ? "\\n" : String.format("\\u%04x", (int) c));
            }
        }
        return plain.toString();
    }

    private static boolean isHarmful(char c) {
        return Character.isISOControl(c)
                || c == '\u061c'
                || c == '\u200e'
                || c == '\u200f'
                || (c >= '\u2028' && c <= '\u202e')
                || (c >= '\u2066' && c <= '\u2069');
    }
}
