package io.interlock.server.log;

/** Text of others in a line of the log: it can neither end the line nor look like another field, nor move the cursor of a terminal. */
public final class LogText {

    private static final int FIRST_PRINTABLE = 0x20;
    private static final int DELETE = 0x7f;
    private static final int LAST_C1 = 0x9f;

    private LogText() {}

    /** {@code text} between quotes, with quotes and backslashes in it escaped as in JSON. */
    static String quoted(String text) {
        StringBuilder line = new StringBuilder(text.length() + 2).append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                line.append('\\').append(c);
            } else {
                append(line, c);
            }
        }
        return line.append('"').toString();
    }

    /** {@code text} on one line, as it is but for controls. */
    public static String oneLine(String text) {
        StringBuilder line = new StringBuilder(text.length());
        for (int i = 0; i < text.length(); i++) {
            append(line, text.charAt(i));
        }
        return line.toString();
    }

    private static void append(StringBuilder line, char c) {
        if (c == '\n') {
            line.append("\\n");
        } else if (isControl(c)) {
            line.append(String.format("\\u%04x", (int) c));
        } else {
            line.append(c);
        }
    }

    private static boolean isControl(char c) {
        return c < FIRST_PRINTABLE
                || (c >= DELETE && c <= LAST_C1)
                || (c >= '\u2028' && c <= '\u202e')
                || (c >= '\u2066' && c <= '\u2069');
    }
}
