package io.interlock.service;

import io.interlock.run.RunPeriod.Length;
import java.util.Optional;
import java.util.stream.Stream;

/** How far back the history of runs is shown, and how finely. */
public enum HistoryWindow {
    /** By minutes. */
    HOUR("1h", Length.MINUTE, 60),
    /** By ten minutes. */
    DAY("24h", Length.TEN_MINUTES, 144),
    /** By hours. */
    WEEK("7d", Length.HOUR, 168);

    private final String word;
    private final Length length;
    private final int periods;

    HistoryWindow(String word, Length length, int periods) {
        this.word = word;
        this.length = length;
        this.periods = periods;
    }

    /** The window called {@code word}. */
    public static Optional<HistoryWindow> of(String word) {
        return Stream.of(values()).filter(each -> each.word.equals(word)).findFirst();
    }

    /** What it is called in requests. */
    public String word() {
        return word;
    }

    Length length() {
        return length;
    }

    int periods() {
        return periods;
    }
}
