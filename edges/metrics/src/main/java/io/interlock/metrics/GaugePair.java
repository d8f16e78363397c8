package io.interlock.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Two gauges of one kind of runs: how many, and the age of the oldest. Filled again at each reading; not thread-safe. */
final class GaugePair {

    private final MultiGauge sizes;
    private final MultiGauge ages;
    private final Map<Tags, Row> rows = new HashMap<>();

    GaugePair(String size, String age, String description, MeterRegistry registry) {
        this.sizes = MultiGauge.builder(size).description(description).register(registry);
        this.ages = MultiGauge.builder(age)
                .description("Age of the oldest: " + description)
                .baseUnit("seconds")
                .register(registry);
    }

    void clear() {
        rows.clear();
    }

    /** Adds to the values of {@code tags}; adding nothing shows zero. */
    void add(Tags tags, long count, Duration age) {
        rows.computeIfAbsent(tags, absent -> new Row()).add(count, age);
    }

    /** Publishes the added values; earlier values that were not added again disappear. */
    void show() {
        List<MultiGauge.Row<?>> counted = new ArrayList<>();
        List<MultiGauge.Row<?>> oldest = new ArrayList<>();
        rows.forEach((tags, row) -> {
            counted.add(MultiGauge.Row.of(tags, row.count));
            oldest.add(MultiGauge.Row.of(tags, row.oldest.toMillis() / 1e3));
        });
        sizes.register(counted, true);
        ages.register(oldest, true);
    }

    private static final class Row {
        private long count;
        private Duration oldest = Duration.ZERO;

        void add(long more, Duration age) {
            count += more;
            oldest = age.compareTo(oldest) > 0 ? age : oldest;
        }
    }
}
