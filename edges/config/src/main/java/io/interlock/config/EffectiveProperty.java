package io.interlock.config;

/**
 * An effective property.
 *
 * @param name with {@code interlock.}
 * @param origin where it comes from: {@code flag --port}, {@code environment INTERLOCK_PORT},
 * {@code interlock.yaml:7}, or
 *     {@value #DEFAULT}
 */
public record EffectiveProperty(String name, String value, String origin) {

    /** The origin of properties that are not set. */
    public static final String DEFAULT = "default";

    /** Whether it is set anywhere. */
    public boolean isSet() {
        return !origin.equals(DEFAULT);
    }
}
