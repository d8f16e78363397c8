package io.interlock.cli.text;

/**
 * Text of others, such that a terminal shows it and does nothing else with it: runs carry errors, outputs and labels that a worker wrote,
 * and an operator reads them. Control characters, C1 included, and those that turn the direction of text are written as JSON writes them,
 * so that JSON stays the same JSON. Lines and tabs stay.
 */
final class TerminalText {

    private static final int FIRST_PRINTABLE = 0x20;
    private static final int DELETE = 0x7f;
    private static final int LAST_C1 = 0x9f;

    private TerminalText() {}

    /** {@code text}, harmless. */
    static String of(String text) {
        int at = 0;
        while (at < text.length() && !isHarmful(text.charAt(at))) {
            at++;
        }
        return at == text.length() ? text : escaped(text.replace("\r\n", "\n"));
    }

    private static String escaped(String text) {
        StringBuilder shown = new StringBuilder(text.length() + 16);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (isHarmful(c)) {
                shown.append(String.format("\\u%04x", (int) c));
            } else {
                shown.append(c);
            }
        }
        return shown.toString();
    }

    private static boolean isHarmful(char c) {
        if (c < FIRST_PRINTABLE) {
            return c != '\n' && c != '\t';
        }
        return (c >= DELETE && c <= LAST_C1) || turnsDirection(c);
    }

    private static boolean turnsDirection(char c) {
        return (c >= '\u202a' && c <= '\u202e') || (c >= '\u2066' && c <= '\u2069') || c == '\u200e' || c == '\u200f';
    }
}
