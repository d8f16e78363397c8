package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Measurement;
import io.interlock.benchmark.measure.Medians;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.benchmark.server.PostgresUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Each step where much is stored beside the same step where little is, call by call in turn. */
final class Growth implements Workload {

    private static final String FILL = "growth-fill";
    private static final int KEYS = 1_000_000;
    private static final int RUNS = 1_000_000;
    private static final int AUDIT = 2_000_000;
    private static final int QUICK_PART = 10;
    private static final int SMALL_PART = 1_000;
    // What takes little time is repeated more often.
    private static final int MOST_REPEATS = 500;
    private static final int MICROS_PER_REPEAT = 25_000;
    private static final Limit LIMIT = Limit.atMost(1.5);

    @Override
    public String name() {
        return "growth";
    }

    @Override
    public String title() {
        return "1,000,000 keys, 1,000,000 past runs, 2,000,000 audit records (quick: a tenth) beside a thousandth of that";
    }

    @Override
    public List<Bar> bars() {
        return Stream.concat(
                        Stream.of("keys", "past runs", "audit records")
                                .map(what -> new Bar(
                                        FILL + "/" + what.replace(' ', '-'),
                                        FILL,
                                        what,
                                        Figure.FILLED_PERCENT,
                                        null,
                                        1,
                                        Limit.atLeast(100))),
                        GrowthSteps.all().keySet().stream()
                                .map(step -> Bar.value(name() + "/" + step, Figure.GROWTH, step, LIMIT)))
                .toList();
    }

    @Override
    public Duration limit(Pace pace) {
        return pace.span(Duration.ofMinutes(60), Duration.ofMinutes(12));
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        Pace pace = bench.pace();
        PostgresUnderTest postgres = bench.servers().postgres();
        PostgresAddress little = postgres.newDatabase("growthsmall");
        PostgresAddress much = postgres.newDatabase("growthlarge");
        int part = pace.steps(1, QUICK_PART);
        try (GrowthSide small = new GrowthSide(little);
                GrowthSide large = new GrowthSide(much)) {
            fill(small, SMALL_PART, Duration.ofMinutes(2), new Comparison("", "", Figure.COUNT));
            fill(
                    large,
                    part,
                    pace.span(Duration.ofMinutes(30), Duration.ofMinutes(5)),
                    results.compare(FILL, "what was filled in, through the store's own steps", Figure.COUNT));
            postgres.vacuum(little);
            postgres.vacuum(much);
            postgres.checkpoint();
            Comparison comparison = results.compare(name(), title(), Figure.GROWTH);
            for (int round = 0; round < pace.rounds(); round++) {
                measure(comparison, small, large, pace.steps(40, 15));
            }
        } finally {
            postgres.drop(little);
            postgres.drop(much);
        }
    }

    private static void fill(GrowthSide side, int part, Duration limit, Comparison filled) throws Exception {
        long until = System.nanoTime() + limit.toNanos();
        // Each thing has its share of the time, so that a slow one does not keep the next from being there at all.
        long quarter = limit.toNanos() / 4;
        note(filled, "keys", KEYS / part, new GrowthFill(side.store, until - 3 * quarter).keys(KEYS / part));
        long runs = new GrowthFill(side.store, until - quarter / 2).pastRuns(RUNS / part);
        note(filled, "past runs", RUNS / part, runs);
        note(filled, "audit records", AUDIT / part, new GrowthFill(side.store, until).auditRecords(AUDIT / part));
        side.seal(limit.dividedBy(2));
        side.filled();
    }

    private static void note(Comparison filled, String what, int wanted, long made) {
        filled.add(
                what,
                Measurement.none()
                        .with(Figure.COUNT, (double) made)
                        .with(Figure.FILLED_PERCENT, 100.0 * made / wanted));
    }

    private static void measure(Comparison comparison, GrowthSide small, GrowthSide large, int repeats) {
        for (Map.Entry<String, GrowthSteps.Step> step : GrowthSteps.all().entrySet()) {
            List<Double> little = new ArrayList<>();
            List<Double> much = new ArrayList<>();
            Meter meter = Meter.ofMachine();
            Meter.Reading before = meter.read();
            long until = System.nanoTime() + (long) repeats * MICROS_PER_REPEAT * 1_000;
            for (int i = 0; i < repeats || (i < MOST_REPEATS && System.nanoTime() < until); i++) {
                double first = step.getValue().nanos(small) / 1e3;
                double second = step.getValue().nanos(large) / 1e3;
                // The first calls of all prepare statements.
                if (i >= repeats / 3) {
                    little.add(first);
                    much.add(second);
                }
            }
            double smallMicros = Medians.of(little);
            double largeMicros = Medians.of(much);
            comparison.add(
                    step.getKey(),
                    Measurement.none()
                            .with(Figure.GROWTH, largeMicros / smallMicros)
                            .with(Figure.SMALL_MICROS, smallMicros)
                            .with(Figure.LARGE_MICROS, largeMicros)
                            .with(before.until(meter.read())));
        }
    }
}
