package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Contender;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Measurement;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.measure.Rounds;
import io.interlock.benchmark.measure.Throughput;
import io.interlock.benchmark.peer.RunPeer;
import io.interlock.benchmark.peer.RunPeers;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.benchmark.server.PostgresUnderTest;
import io.interlock.benchmark.server.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Submits runs over 2,000 keys, one call each; in an empty database for each round, so that none pays for what was before. */
final class Submit implements Workload {

    static final int KEYS = 2_000;

    private final String name;
    private final int callers;
    private final Duration delay;
    private final List<RunPeers> peers;
    private final Limit limit;
    private final AtomicLong next = new AtomicLong();

    private Submit(String name, int callers, Duration delay, List<RunPeers> peers, Limit limit) {
        this.name = name;
        this.callers = callers;
        this.delay = delay;
        this.peers = peers;
        this.limit = limit;
    }

    /** So many callers of one process. */
    static Workload by(int callers, Limit limit) {
        return new Submit("submit-" + callers, callers, Duration.ZERO, List.of(RunPeers.values()), limit);
    }

    /** With {@code delay} added to each round trip. */
    static Workload delayed(int callers, Duration delay, Limit limit) {
        return new Submit(
                "delay-" + delay.toMillis() + "ms",
                callers,
                delay,
                List.of(RunPeers.INTERLOCK, RunPeers.DB_SCHEDULER),
                limit);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String title() {
        return "submissions over " + KEYS + " keys, " + callers + (callers == 1 ? " caller" : " callers")
                + (delay.isZero() ? "" : ", " + delay.toMillis() + " ms added to each round trip");
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio(name, Figure.PER_SECOND, RunPeers.INTERLOCK.title(), RunPeers.DB_SCHEDULER.title(), limit));
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        PostgresUnderTest postgres = bench.servers().postgres();
        Comparison comparison = results.compare(name, title(), Figure.PER_SECOND);
        List<Contender> contenders = new ArrayList<>();
        for (RunPeers peer : peers) {
            contenders.add(new Contender(peer.title(), pace -> measure(peer, postgres, pace)));
        }
        contenders.add(contenders.get(peers.indexOf(RunPeers.DB_SCHEDULER)).again());
        Rounds.warmAndRun(comparison, bench.pace(), contenders);
        for (RunPeers peer : peers) {
            count(comparison, peer, postgres, bench.pace());
        }
    }

    private Measurement measure(RunPeers peer, PostgresUnderTest postgres, Pace pace) throws Exception {
        PostgresAddress database = postgres.newDatabase(peer.name().toLowerCase(Locale.ROOT));
        try (TcpProxy proxy = delay.isZero() ? null : TcpProxy.delaying(database.port(), delay);
                RunPeer.Submitting submitting = peer.peer().submitter(through(database, proxy))) {
            submit(submitting, pace.filling(), Meter.ofMachine());
            return submit(submitting, pace, Meter.of(postgres));
        } finally {
            postgres.drop(database);
        }
    }

    private void count(Comparison comparison, RunPeers peer, PostgresUnderTest postgres, Pace pace) throws Exception {
        PostgresAddress database = postgres.newDatabase(peer.name().toLowerCase(Locale.ROOT));
        try {
            try (TcpProxy proxy = TcpProxy.counting(database.port());
                    RunPeer.Submitting submitting = peer.peer().submitter(database.through(proxy))) {
                comparison.count(
                        peer.title(),
                        Figure.ROUND_TRIPS,
                        Counted.roundTrips(proxy, meter -> submit(submitting, pace.counting(), meter)));
            }
            Counted.hotUpdates(comparison, peer.title(), postgres, database);
        } finally {
            postgres.drop(database);
        }
    }

    private static PostgresAddress through(PostgresAddress database, @Nullable TcpProxy proxy) {
        return proxy == null ? database : database.through(proxy);
    }

    private Measurement submit(RunPeer.Submitting submitting, Pace pace, Meter meter) throws Exception {
        return Throughput.measure(callers, pace, meter, thread -> {
            long number = next.getAndIncrement();
            submitting.submit("run-" + number, "key/" + number % KEYS);
        });
    }
}
