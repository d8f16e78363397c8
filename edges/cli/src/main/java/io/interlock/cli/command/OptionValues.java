package io.interlock.cli.command;

import io.interlock.ConflictPolicy;
import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.NearestWord;
import io.interlock.RunState;
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
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The words an option takes: shells complete them, and others are refused. */
class OptionValues implements Iterable<String> {

    private final List<String> known;

    OptionValues(String... known) {
        this.known = List.of(known);
    }

    /** The word that is meant, however it is written. */
    final String choose(String option, String value) {
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

    /** The states of a run. */
    static final class State extends OptionValues {
        State() {
            super(Stream.of(RunState.values()).map(RunState::name).toArray(String[]::new));
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

        static @Nullable String optional(String option, @Nullable String text) {
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
        static Duration parse(String option, String text, Duration least) {
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

        static @Nullable Duration optional(String option, @Nullable String text) {
            return text == null ? null : parse(option, text, Duration.ofMillis(1));
        }
    }

    /**
     * Options that are built by hand, and not found by their annotations: those of {@code interlock run}, whose time to its started child
     * counts. Annotations are read by reflection and by classes that the JVM makes at each start, which takes longer than all other
     * work with the words.
     */
    static final class HandBuilt {

        private HandBuilt() {}

        static OptionSpec flag(String description, String... names) {
            return OptionSpec.builder(names)
                    .type(boolean.class)
                    .description(description)
                    .build();
        }

        static OptionSpec text(String label, String description, String... names) {
            return valued(label, description, names).build();
        }

        /** An option with a value, a text unless another type is set. */
        static OptionSpec.Builder valued(String label, String description, String... names) {
            return OptionSpec.builder(names)
                    .type(String.class)
                    .paramLabel(label)
                    .description(description);
        }

        static boolean isSet(OptionSpec flag) {
            return Boolean.TRUE.equals(flag.getValue());
        }

        /** What was typed, or {@code null}. */
        static <T> @Nullable T value(ArgSpec option, Class<T> type) {
            Object value = option.getValue();
            return type.cast(value);
        }

        /** What was typed, or what counts otherwise. */
        static <T> T valueOr(ArgSpec option, T otherwise) {
            T value = option.getValue();
            return value == null ? otherwise : value;
        }
    }
}
