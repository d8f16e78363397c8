package io.interlock.metrics;

import io.interlock.RunState;
import io.interlock.engine.Job;
import io.interlock.engine.RunEngine;
import io.interlock.run.Summary.RunCount;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many runs wait and run, and since when, according to the store: the same on every node. They are read from the
 * store every few seconds, never during a scrape, so that a scrape works while the store is unavailable. Then the
 * gauges keep their last values, and {@code interlock.stock.age} grows.
 */
final class RunGauges implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(RunGauges.class);

    private final RunEngine engine;
    private final Labels labels;
    private final Environment environment;
    private final Duration every;
    private final Timers timers;
    private final GaugePair active;
    private final GaugePair pending;
    private final GaugePair queue;
    private final GaugePair dead;
    private volatile long readAt;
    private boolean away;

    RunGauges(RunEngine engine, MeterRegistry registry, Labels labels, Environment environment, Duration every) {
        this.engine = engine;
        this.labels = labels;
        this.environment = environment;
        this.every = every;
        this.readAt = environment.ticker().nanos();
        this.active = new GaugePair("interlock.active", "", "Runs being executed", registry);
        this.pending =
                new GaugePair("interlock.pending", "", "Runs that have their key and wait for a worker", registry);
        this.queue =
                new GaugePair("interlock.queue", ".size", "Runs that wait for their turn or for a worker", registry);
        this.dead =
                new GaugePair("interlock.dead.letters", "", "Dead letters neither redriven nor discarded", registry);
        Gauge.builder("interlock.stock.age", this, RunGauges::age)
                .description("Time since the gauges of waiting and running runs were read from the store")
                .baseUnit("seconds")
                .register(registry);
        this.timers = environment.timers("interlock-meters");
        timers.after(Duration.ZERO, this::read);
    }

    private double age() {
        return (environment.ticker().nanos() - readAt) / 1e9;
    }

    private void read() {
        try {
            show(engine.queries().runCounts(), environment.clock().instant());
            readAt = environment.ticker().nanos();
            away = false;
        } catch (RuntimeException failure) {
            if (!away) {
                log.warn("the gauges of waiting and running runs keep their last values: {}", failure.getMessage());
            }
            away = true;
        } finally {
            timers.after(every, this::read);
        }
    }

    private void show(List<RunCount> runCounts, Instant now) {
        List<GaugePair> all = List.of(active, pending, queue, dead);
        all.forEach(GaugePair::clear);
        // Jobs without runs show zero, to distinguish this from missing data. Their tenant is not known.
        if (!labels.byTenant()) {
            for (Job job : engine.jobs().all()) {
                Tags tags = Tags.of(labels.of(job.name().value()));
                all.forEach(pair -> pair.add(tags, 0, Duration.ZERO));
            }
        }
        for (RunCount count : runCounts) {
            Tags tags = Tags.of(labels.of(count.job().value(), count.tenant()));
            Duration age = Duration.between(count.oldest(), now);
            pair(count).add(tags, count.count(), age);
            if (count.state() == RunState.PENDING) {
                pending.add(tags, count.count(), age);
            }
        }
        all.forEach(GaugePair::show);
    }

    private GaugePair pair(RunCount count) {
        return switch (count.state()) {
            case RUNNING -> active;
            case DEAD -> dead;
            default -> queue;
        };
    }

    @Override
    public void close() {
        timers.close();
    }

    /** Two gauges of one kind of runs: how many, and the age of the oldest. Filled again at each reading; not thread-safe. */
    static final class GaugePair {

        private final MultiGauge sizes;
        private final MultiGauge ages;
        private final Map<Tags, Row> rows = new HashMap<>();

        /** Gauges called {@code name} with {@code suffix}, and {@code name} with {@code .oldest.age}. */
        GaugePair(String name, String suffix, String description, MeterRegistry registry) {
            this.sizes =
                    MultiGauge.builder(name + suffix).description(description).register(registry);
            this.ages = MultiGauge.builder(name + ".oldest.age")
                    .description("Age of the oldest: " + description)
                    .baseUnit("seconds")
                    .register(registry);
        }

        void clear() {
            rows.clear();
        }

        /** Adds to the values of {@code tags}; adding nothing shows zero. */
        void add(Tags tags, long count, Duration age) {
            rows.merge(tags, new Row(count, age.isNegative() ? Duration.ZERO : age), Row::plus);
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

        private record Row(long count, Duration oldest) {

            Row plus(Row more) {
                return new Row(count + more.count, oldest.compareTo(more.oldest) > 0 ? oldest : more.oldest);
            }
        }
    }
}
