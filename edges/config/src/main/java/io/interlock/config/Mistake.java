package io.interlock.config;

import org.jspecify.annotations.Nullable;

/**
 * A mistake in the configuration.
 *
 * @param property which property, without {@code interlock.}
 * @param detail what is wrong, with value, limit and next step
 * @param origin where it was set: a flag, a variable, a file with its line; {@code null} if it is not set
 */
public record Mistake(
        String property, String detail, @Nullable String origin) {

    @Override
    public String toString() {
        return (origin == null ? "" : origin + ": ") + property + " " + detail;
    }
}
