package io.interlock.benchmark.workload;

import io.interlock.LeaseRecord;
import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Contender;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Measurement;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.measure.Rounds;
import io.interlock.benchmark.peer.InterlockLocks;
import io.interlock.benchmark.peer.InterlockStore;
import io.interlock.benchmark.peer.ShedLockJdbc;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.benchmark.server.PostgresUnderTest;
import io.interlock.benchmark.server.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import net.javacrumbs.shedlock.core.SimpleLock;

/** Renews all leases of one process once. */
final class Renewal implements Workload {

    private static final Duration TTL = Duration.ofMinutes(5);

    @Override
    public String name() {
        return "renew";
    }

    @Override
    public String title() {
        return "renewal of 10,000 leases of one process (2,000 if quick), by one thread";
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(name(), Figure.MILLIS, InterlockLocks.NAME, ShedLockJdbc.NAME, Limit.atMostOneIn(20)));
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        PostgresUnderTest postgres = bench.servers().postgres();
        Comparison comparison = results.compare(name(), title(), Figure.MILLIS);
        List<String> keys = IntStream.range(0, bench.pace().steps(10_000, 2_000))
                .mapToObj(i -> "renew/" + i)
                .toList();
        PostgresAddress ours = postgres.newDatabase("interlock");
        PostgresAddress theirs = postgres.newDatabase("shedlock");
        try {
            renew(comparison, bench.pace(), keys, ours, theirs, Meter.of(postgres));
            Counted.hotUpdates(comparison, InterlockLocks.NAME, postgres, ours);
            Counted.hotUpdates(comparison, ShedLockJdbc.NAME, postgres, theirs);
        } finally {
            postgres.drop(ours);
            postgres.drop(theirs);
        }
    }

    private static void renew(
            Comparison comparison,
            Pace pace,
            List<String> keys,
            PostgresAddress ours,
            PostgresAddress theirs,
            Meter meter)
            throws Exception {
        try (TcpProxy proxy = TcpProxy.counting(ours.port());
                InterlockStore store = InterlockStore.open(ours);
                InterlockStore counted = InterlockStore.open(ours.through(proxy));
                ShedLockJdbc shedLock = ShedLockJdbc.open(theirs)) {
            List<LeaseRecord> leases = store.take(keys, TTL);
            List<SimpleLock> locks = new ArrayList<>();
            keys.forEach(key -> locks.add(shedLock.lock(key, TTL)));
            Contender interlock = new Contender(
                    InterlockLocks.NAME, slice -> timed(meter, keys.size(), () -> store.renew(leases, TTL)));
            Contender peer = new Contender(
                    ShedLockJdbc.NAME,
                    slice -> timed(
                            meter,
                            keys.size(),
                            () -> locks.replaceAll(lock -> lock.extend(TTL, Duration.ZERO)
                                    .orElseThrow(() -> new IllegalStateException("ShedLock did not extend")))));
            interlock.slice().measure(pace);
            Rounds.run(comparison, pace, List.of(interlock, peer, peer.again()));
            comparison.count(
                    InterlockLocks.NAME,
                    Figure.ROUND_TRIPS,
                    Counted.roundTrips(proxy, trips -> timed(trips, keys.size(), () -> counted.renew(leases, TTL))));
        }
    }

    private static Measurement timed(Meter meter, int steps, Runnable work) {
        meter.checkpoint();
        Meter.Reading before = meter.read();
        long began = System.nanoTime();
        work.run();
        double millis = (System.nanoTime() - began) / 1e6;
        return Measurement.none()
                .with(Figure.MILLIS, millis)
                .with(Figure.PER_SECOND, steps / millis * 1000)
                .with(before.until(meter.read()).of(steps));
    }
}
