package io.interlock.store.postgres;

import io.interlock.InvalidSettingException;
import io.interlock.run.RunLimits;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What PostgreSQL can keep of the texts and times of Java: it knows no NUL, no half characters, and no end of time. */
final class Texts {

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
                    shown.length() > 40 ? shown.substring(0, 40) + "…" : shown,
                    String.format(
                            "contains the character U+%04X, which PostgreSQL cannot keep", (int) text.charAt(bad)),
                    "remove NUL characters and lone surrogates, or write them as escapes");
        }
        return text;
    }

    static @Nullable String exactOrNull(String setting, @Nullable String text) {
        return text == null ? null : exact(setting, text);
    }

    /**
     * {@code text}, which people read, with a mark in place of what cannot be kept: no work is lost over it. The mark is a single byte,
     * as what it stands for was counted: what was within its limit must stay so, or nobody could read it again.
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

    /** The microseconds of {@code time}. Whoever says "for ever" by a great number means it. */
    static long micros(Duration time) {
        return AnswerRow.micros(RunLimits.capped(time));
    }

    static @Nullable Long microsOrNull(@Nullable Duration time) {
        return time == null ? null : micros(time);
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
