package io.interlock.cli.command;

import io.interlock.ConflictPolicy;
import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.NearestWord;
import io.interlock.cli.text.Failure;
import io.interlock.service.PastTime;
import java.time.Duration;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The words an option takes: shells complete them, and others are refused. */
public abstract class OptionValues implements Iterable<String> {

    private final List<String> known;

    OptionValues(String... known) {
        this.known = List.of(known);
    }

    /** The word that is meant, however it is written. */
    public final String choose(String option, String value) {
        return known.stream()
                .filter(word -> plain(word).equals(plain(value)))
                .findFirst()
                .orElseThrow(() -> Failure.usage(
                        option + " '" + value + "' is unknown"
                                + NearestWord.to(value, Set.copyOf(known))
                                        .map(near -> "; did you mean '" + near + "'?")
                                        .orElse(""),
                        "choose one of " + String.join(", ", known)));
    }

    private static String plain(String word) {
        return word.toLowerCase(Locale.ROOT).replace('_', '-');
    }

    @Override
    public final Iterator<String> iterator() {
        return known.iterator();
    }

    /** Of {@code run --if-busy}. */
    public static final class IfBusy extends OptionValues {
        public IfBusy() {
            super("fail", "skip");
        }
    }

    /** Of {@code run --on-lost}. */
    public static final class OnLost extends OptionValues {
        public OnLost() {
            super("term", "kill", "warn");
        }
    }

    /** The states of a run. */
    static final class State extends OptionValues {
        State() {
            super("QUEUED", "PENDING", "RUNNING", "SUCCEEDED", "FAILED", "ABORTED", "TIMED_OUT", "DEAD");
        }
    }

    /** What a newcomer can get. */
    static final class Policy extends OptionValues {
        Policy() {
            super(Stream.of(ConflictPolicy.values()).map(ConflictPolicy::word).toArray(String[]::new));
        }
    }

    /** What an API key may do. */
    static final class Role extends OptionValues {
        Role() {
            super("read", "trigger", "worker", "operator", "admin");
        }
    }

    /** Shells that complete. */
    static final class Shell extends OptionValues {
        Shell() {
            super("bash", "zsh", "fish");
        }
    }

    /** Times in the past: a time, or a duration back from now. */
    static final class PastTimes {

        private PastTimes() {}

        /** Checks one that may be left out. */
        public static @Nullable String optional(String option, @Nullable String text) {
            try {
                if (text != null) {
                    PastTime.parse(text, Instant.EPOCH);
                }
                return text;
            } catch (IllegalArgumentException invalid) {
                throw Failure.usage(option + " " + invalid.getMessage(), "write it as 30m, 2h, 7d or in UTC");
            }
        }
    }

    static final class Durations {

        private Durations() {}

        /** Reads one that is at least {@code least}. */
        public static Duration parse(String option, String text, Duration least) {
            Duration duration;
            try {
                duration = DurationText.parse(option, text);
            } catch (InvalidSettingException none) {
                throw Failure.usage(
                        option + " '" + text + "' is not a duration", "write it as 500ms, 30s, 5m, 2h, 1d or PT5M");
            }
            if (duration.compareTo(least) < 0) {
                throw Failure.usage(
                        option + " '" + text + "' is below " + DurationText.format(least),
                        "choose a longer one, as in 30s");
            }
            return duration;
        }

        /** Reads one that may be left out. */
        public static @Nullable Duration optional(String option, @Nullable String text) {
            return text == null ? null : parse(option, text, Duration.ofMillis(1));
        }
    }
}
