package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Contender;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Latencies;
import io.interlock.benchmark.measure.Measurement;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.measure.Rounds;
import io.interlock.benchmark.peer.RunPeer;
import io.interlock.benchmark.peer.RunPeers;
import io.interlock.benchmark.peer.WorkerProcess;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.benchmark.server.PostgresUnderTest;
import io.interlock.benchmark.server.TcpProxy;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** How long it takes from the call that submits a run until another process, which has nothing else to do, starts it. */
final class StartLatency implements Workload {

    private static final int SLOTS = 16;
    private static final Duration LONGEST = Duration.ofSeconds(10);
    private static final long SHORTEST_PAUSE = 20;
    private static final long LONGEST_PAUSE = 150;

    @Override
    public String name() {
        return "start-latency";
    }

    @Override
    public String title() {
        return "from the call that submits a run to its start in another process that is idle";
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                bar("p50", Figure.P50_MILLIS, Limit.atMostOneIn(5)),
                bar("p99", Figure.P99_MILLIS, Limit.atMostOneIn(2)));
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        PostgresUnderTest postgres = bench.servers().postgres();
        Comparison comparison = results.compare(name(), title(), Figure.P50_MILLIS);
        comparison.note("db-scheduler looks every 100 ms. JobRunr looks every 5 s at the most often, and is left out.");
        Contender ours = contender(RunPeers.INTERLOCK, postgres);
        Contender theirs = contender(RunPeers.DB_SCHEDULER, postgres);
        Rounds.run(comparison, bench.pace(), List.of(ours, theirs, theirs.again()));
        for (RunPeers peer : List.of(RunPeers.INTERLOCK, RunPeers.DB_SCHEDULER)) {
            count(comparison, peer, postgres, bench.pace());
        }
    }

    private static void count(Comparison comparison, RunPeers peer, PostgresUnderTest postgres, Pace pace)
            throws Exception {
        PostgresAddress database = database(peer, postgres);
        try {
            try (TcpProxy proxy = TcpProxy.counting(database.port())) {
                comparison.count(
                        peer.title(),
                        Figure.ROUND_TRIPS,
                        Counted.roundTrips(proxy, meter -> measure(peer, database.through(proxy), meter, pace)));
            }
            Counted.hotUpdates(comparison, peer.title(), postgres, database);
        } finally {
            postgres.drop(database);
        }
    }

    private Bar bar(String part, Figure figure, Limit limit) {
        return Bar.ratio(name() + "/" + part, figure, RunPeers.INTERLOCK.title(), RunPeers.DB_SCHEDULER.title(), limit);
    }

    private static Contender contender(RunPeers peer, PostgresUnderTest postgres) {
        return new Contender(peer.title(), pace -> {
            PostgresAddress database = database(peer, postgres);
            try {
                return measure(peer, database, Meter.of(postgres), pace);
            } finally {
                postgres.drop(database);
            }
        });
    }

    private static PostgresAddress database(RunPeers peer, PostgresUnderTest postgres) {
        return postgres.newDatabase(peer.name().toLowerCase(Locale.ROOT));
    }

    private static Measurement measure(RunPeers peer, PostgresAddress database, Meter meter, Pace pace)
            throws Exception {
        try (RunPeer.Submitting submitting = peer.peer().submitter(database);
                WorkerProcess worker = WorkerProcess.start(peer, database)) {
            worker.open(SLOTS, true);
            return measure(submitting, worker, meter, pace);
        }
    }

    private static Measurement measure(RunPeer.Submitting submitting, WorkerProcess worker, Meter meter, Pace pace)
            throws Exception {
        int skipped = pace.steps(60, 15);
        int wanted = pace.steps(200, 40);
        Latencies latencies = new Latencies();
        meter.checkpoint();
        Meter.Reading before = meter.read();
        for (int i = 0; i < skipped + wanted; i++) {
            TimeUnit.MILLISECONDS.sleep(ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE, LONGEST_PAUSE));
            String name = "latency/" + i;
            long submitted = System.nanoTime();
            submitting.submit(name, name);
            WorkerProcess.Start start = worker.nextStart(LONGEST);
            while (start != null && !start.name().equals(name)) {
                start = worker.nextStart(LONGEST);
            }
            if (i >= skipped) {
                // One that did not start in time counts as that long, so that it shows.
                latencies.record(start == null ? LONGEST.toNanos() : start.nanos() - submitted);
            }
        }
        return Measurement.none()
                .with(Figure.P50_MILLIS, latencies.millis(0.5))
                .with(Figure.P99_MILLIS, latencies.millis(0.99))
                .with(before.until(meter.read()).of(skipped + wanted));
    }
}
