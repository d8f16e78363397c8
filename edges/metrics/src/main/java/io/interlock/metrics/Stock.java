package io.interlock.metrics;

import io.interlock.RunState;
import io.interlock.engine.Job;
import io.interlock.engine.RunEngine;
import io.interlock.run.Tally;
import io.interlock.time.Environment;
import io.interlock.time.Timers;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many runs wait and run now, and since when, as the store knows it: the same on every node. It is looked up every few
 * seconds, never while somebody reads the meters, so that reading them works while the store is away. Then the gauges keep their
 * last values, and {@code interlock.stock.age} grows.
 */
final class Stock implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Stock.class);

    private final RunEngine engine;
    private final Labels labels;
    private final Environment environment;
    private final Duration every;
    private final Timers timers;
    private final Shelf active;
    private final Shelf pending;
    private final Shelf queue;
    private final Shelf dead;
    private volatile long readAt;
    private boolean away;

    Stock(RunEngine engine, MeterRegistry registry, Labels labels, Environment environment, Duration every) {
        this.engine = engine;
        this.labels = labels;
        this.environment = environment;
        this.every = every;
        this.readAt = environment.ticker().nanos();
        this.active = new Shelf("interlock.active", "interlock.active.oldest.age", "Runs under way", registry);
        this.pending = new Shelf(
                "interlock.pending",
                "interlock.pending.oldest.age",
                "Runs that have their key and wait for a worker",
                registry);
        this.queue = new Shelf(
                "interlock.queue.size",
                "interlock.queue.oldest.age",
                "Runs that wait for their turn or for a worker",
                registry);
        this.dead = new Shelf(
                "interlock.dead.letters",
                "interlock.dead.letters.oldest.age",
                "Dead letters nobody has done anything about",
                registry);
        Gauge.builder("interlock.stock.age", this, Stock::age)
                .description("How long ago the store was asked what waits and runs")
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
            show(engine.records().tallies(), environment.clock().instant());
            readAt = environment.ticker().nanos();
            away = false;
        } catch (RuntimeException failure) {
            if (!away) {
                log.warn("the meters of what waits and runs keep their last values: {}", failure.getMessage());
            }
            away = true;
        } finally {
            timers.after(every, this::read);
        }
    }

    private void show(List<Tally> tallies, Instant now) {
        List<Shelf> all = List.of(active, pending, queue, dead);
        all.forEach(Shelf::clear);
        // Jobs with nothing to show show a nought, so that nobody takes it for no data. Of which tenant is not known.
        if (!labels.byTenant()) {
            for (Job job : engine.jobs().all()) {
                Tags tags = Tags.of(labels.of(job.name().value()));
                all.forEach(shelf -> shelf.add(tags, 0, Duration.ZERO));
            }
        }
        for (Tally tally : tallies) {
            Tags tags = Tags.of(labels.of(tally.job().value(), tally.tenant()));
            Duration age = Duration.between(tally.oldest(), now);
            shelf(tally).add(tags, tally.count(), age);
            if (tally.state() == RunState.PENDING) {
                pending.add(tags, tally.count(), age);
            }
        }
        all.forEach(Shelf::show);
    }

    private Shelf shelf(Tally tally) {
        return switch (tally.state()) {
            case RUNNING -> active;
            case DEAD -> dead;
            default -> queue;
        };
    }

    @Override
    public void close() {
        timers.close();
    }
}
