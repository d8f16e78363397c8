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
}
