package io.interlock.config;

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
