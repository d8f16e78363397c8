package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Contender;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Measurement;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.measure.Rounds;
import io.interlock.benchmark.peer.InterlockLocks;
import io.interlock.benchmark.peer.InterlockStore;
import io.interlock.benchmark.peer.LockPeer;
import io.interlock.benchmark.peer.ShedLockJdbc;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.benchmark.server.PostgresUnderTest;
import io.interlock.benchmark.server.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** Takes over the leases of a process that died, after they have expired. */
final class TakeOver implements Workload {

    private static final int LEASES = 1_000;
    private static final int TAKERS = 64;
    private static final Duration TTL = Duration.ofSeconds(2);
    private static final Duration EXPIRED = TTL.plusMillis(300);

    private final AtomicInteger round = new AtomicInteger();

    @Override
    public String name() {
        return "take-over";
    }

    @Override
    public String title() {
        return "time until all of 1,000 expired leases are taken over by another process with 64 threads";
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(name(), Figure.MILLIS, InterlockLocks.NAME, ShedLockJdbc.NAME, Limit.atMostOneIn(3)));
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        PostgresUnderTest postgres = bench.servers().postgres();
        Comparison comparison = results.compare(name(), title(), Figure.MILLIS);
        PostgresAddress ours = postgres.newDatabase("interlock");
        PostgresAddress theirs = postgres.newDatabase("shedlock");
        try {
            try (InterlockStore dead = InterlockStore.open(ours);
                    InterlockLocks interlock = InterlockLocks.open(ours.storeUrl());
                    ShedLockJdbc deadShedLock = ShedLockJdbc.open(theirs);
                    ShedLockJdbc shedLock = ShedLockJdbc.open(theirs)) {
                Meter meter = Meter.of(postgres);
                Contender first = new Contender(InterlockLocks.NAME, pace -> takeAll(interlock, die(dead), meter));
                Contender second =
                        new Contender(ShedLockJdbc.NAME, pace -> takeAll(shedLock, die(deadShedLock), meter));
                first.slice().measure(bench.pace());
                second.slice().measure(bench.pace());
                Rounds.run(comparison, bench.pace(), List.of(first, second, second.again()));
                countRoundTrips(comparison, ours, dead, theirs, deadShedLock);
            }
            Counted.hotUpdates(comparison, InterlockLocks.NAME, postgres, ours);
            Counted.hotUpdates(comparison, ShedLockJdbc.NAME, postgres, theirs);
        } finally {
            postgres.drop(ours);
            postgres.drop(theirs);
        }
    }

    private void countRoundTrips(
            Comparison comparison,
            PostgresAddress ours,
            InterlockStore dead,
            PostgresAddress theirs,
            ShedLockJdbc deadShedLock)
            throws Exception {
        try (TcpProxy proxy = TcpProxy.counting(ours.port());
                InterlockLocks interlock =
                        InterlockLocks.open(ours.through(proxy).storeUrl());
                ShedLockJdbc shedLock = ShedLockJdbc.open(theirs.through(proxy))) {
            comparison.count(
                    InterlockLocks.NAME,
                    Figure.ROUND_TRIPS,
                    Counted.roundTrips(proxy, meter -> takeAll(interlock, die(dead), meter)));
            comparison.count(
                    ShedLockJdbc.NAME,
                    Figure.ROUND_TRIPS,
                    Counted.roundTrips(proxy, meter -> takeAll(shedLock, die(deadShedLock), meter)));
        }
    }

    /** Leases that are not renewed, each time of other keys. */
    private List<String> die(InterlockStore dead) {
        List<String> keys = keys(round.incrementAndGet());
        dead.take(keys, TTL);
        return keys;
    }

    private List<String> die(ShedLockJdbc dead) {
        List<String> keys = keys(round.incrementAndGet());
        keys.forEach(key -> dead.lock(key, TTL));
        return keys;
    }

    private static List<String> keys(int round) {
        return IntStream.range(0, LEASES)
                .mapToObj(i -> "over/" + round + "/" + i)
                .toList();
    }

    private static Measurement takeAll(LockPeer peer, List<String> keys, Meter meter) throws Exception {
        TimeUnit.NANOSECONDS.sleep(EXPIRED.toNanos());
        meter.checkpoint();
        ExecutorService takers = Executors.newFixedThreadPool(TAKERS);
        Queue<String> open = new ConcurrentLinkedQueue<>(keys);
        List<Callable<List<LockPeer.Held>>> tasks = new ArrayList<>();
        for (int i = 0; i < TAKERS; i++) {
            tasks.add(() -> {
                List<LockPeer.Held> held = new ArrayList<>();
                for (String key = open.poll(); key != null; key = open.poll()) {
                    held.add(peer.take(key));
                }
                return held;
            });
        }
        try {
            Meter.Reading before = meter.read();
            long began = System.nanoTime();
            List<Future<List<LockPeer.Held>>> taken = takers.invokeAll(tasks);
            double millis = (System.nanoTime() - began) / 1e6;
            Meter.Reading after = meter.read();
            for (Future<List<LockPeer.Held>> some : taken) {
                for (LockPeer.Held held : some.get()) {
                    held.release();
                }
            }
            return Measurement.none()
                    .with(Figure.MILLIS, millis)
                    .with(Figure.PER_SECOND, keys.size() / millis * 1000)
                    .with(before.until(after).of(keys.size()));
        } finally {
            takers.shutdownNow();
        }
    }
}
