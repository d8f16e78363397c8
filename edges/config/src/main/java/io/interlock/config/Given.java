package io.interlock.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The sources of a configuration.
 *
 * @param file a YAML file, or {@code null} for none
 */
public record Given(
        List<Flag> flags,
        Map<String, String> environment,
        @Nullable Path file) {

    public Given {
        flags = List.copyOf(flags);
        environment = Map.copyOf(environment);
    }

    /** Without the variables, some of which are secret. */
    @Override
    public String toString() {
        return "flags " + flags + ", file " + file;
    }

    /**
     * An option given on the command line.
     *
     * @param option as the user writes it: {@code --no-worker}
     * @param property the property it sets, without {@code interlock.}: {@code worker.enabled}
     */
    public record Flag(String option, String property, String value) {

        /** An option with the name of its property. */
        public static Flag of(String property, String value) {
            return new Flag("--" + property, property, value);
        }

        /** Without the value, which may be a secret. */
        @Override
        public String toString() {
            return option;
        }
    }
}
