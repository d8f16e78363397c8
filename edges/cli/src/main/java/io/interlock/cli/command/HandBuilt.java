package io.interlock.cli.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Options that are built by hand, and not found by their annotations: those of {@code interlock run}, whose time to its started child
 * counts. Annotations are read by reflection and by classes that the JVM makes at each start, which takes longer than all other
 * work with the words.
 */
final class HandBuilt {

    private HandBuilt() {}

    /** An option without a value. */
    static OptionSpec flag(String description, String... names) {
        return named(names).type(boolean.class).description(description).build();
    }

    /** An option with a text. */
    static OptionSpec text(String label, String description, String... names) {
        return valued(label, description, names).build();
    }

    /** An option with a value, a text unless another type is set. */
    static OptionSpec.Builder valued(String label, String description, String... names) {
        return named(names).type(String.class).paramLabel(label).description(description);
    }

    static OptionSpec.Builder named(String... names) {
        return OptionSpec.builder(names);
    }

    /** Whether the option was typed. */
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
