package io.interlock.run;

import io.interlock.InvalidSettingException;
import java.nio.charset.StandardCharsets;

/** The limits of texts stored with a run. */
public final class RunTexts {

    /** The longest actor, reason or stage, in bytes of UTF-8. */
    public static final int MAX_LINE = 500;

    /** The longest parameters and the longest result, in bytes of UTF-8. */
    public static final int MAX_BODY = 64 * 1024;

    private static final int NO_CHARACTER = 0xFFFD;

    private RunTexts() {}

    /** The last {@code most} characters of {@code text}; one less if it would begin with half of one. */
    public static String end(CharSequence text, int most) {
        int from = Math.max(0, text.length() - most);
        boolean half = from > 0 && Character.isLowSurrogate(text.charAt(from));
        return text.subSequence(half ? from + 1 : from, text.length()).toString();
    }

    /**
     * {@code text}, if it is one non-blank line of at most {@link #MAX_LINE} bytes.
     *
     * @param what its name, for the error
     * @param nextStep the next step for the user
     */
    public static String require(String what, String text, String nextStep) {
        return require(what, text, MAX_LINE, nextStep);
    }

    /** Like {@link #require(String, String, String)}, with another limit of bytes. */
    public static String require(String what, String text, int most, String nextStep) {
        if (text.isBlank() || hasControl(text)) {
            throw new InvalidSettingException(what, text, "must not be blank or contain control characters", nextStep);
        }
        limit(what, text, most);
        return text;
    }

    /** {@code text} as one line of at most {@link #MAX_LINE} characters. */
    static String line(String text) {
        String line = hasControl(text)
                ? text.codePoints()
                        .map(point -> Character.isISOControl(point) ? NO_CHARACTER : point)
                        .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                        .toString()
                : text;
        return line.length() > MAX_LINE ? line.substring(0, MAX_LINE - 1) + "…" : line;
    }

    // A loop, because each lease that is read asks for two texts.
    private static boolean hasControl(String text) {
        for (int i = 0; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                return true;
            }
        }
        return false;
    }

    /** {@code text}, if it has at most {@link #MAX_BODY} bytes. */
    public static String body(String what, String text) {
        limit(what, text, MAX_BODY);
        return text;
    }

    static void limit(String what, String text, int most) {
        int bytes = text.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > most) {
            String shown = text.length() > 40 ? text.substring(0, 40) + "…" : text;
            throw new InvalidSettingException(
                    what, shown, "has " + bytes + " bytes; the limit is " + most, "shorten it, or store it elsewhere");
        }
    }
}
