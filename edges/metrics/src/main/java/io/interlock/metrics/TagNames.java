package io.interlock.metrics;

import java.util.Locale;

/** Tag values from the names of types and constants: {@code QueueFull} becomes {@code queue_full}. */
final class TagNames {

    private TagNames() {}

    static String of(Class<?> type) {
        return type.getSimpleName().replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
    }

    static String of(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
