package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Contender;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Latencies;
import io.interlock.benchmark.measure.Measurement;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.measure.Rounds;
import io.interlock.benchmark.peer.InterlockLocks;
import io.interlock.benchmark.peer.RedissonLocks;
import io.interlock.benchmark.peer.WaitingPeer;
import io.interlock.benchmark.peer.WaitingPeers;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.benchmark.server.PostgresUnderTest;
import io.interlock.benchmark.server.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** How long it takes from the release of a key until a client that waited for it has it. */
final class HandOver implements Workload {

    private static final Duration ROUND_LIMIT = Duration.ofSeconds(60);

    private final int waiters;
    private final Limit toSpring;

    HandOver(int waiters, Limit toSpring) {
        this.waiters = waiters;
        this.toSpring = toSpring;
    }

    @Override
    public String name() {
        return "hand-over-" + waiters;
    }

    @Override
    public String title() {
        return "from the call of release to the return of acquire in another client, " + waiters
                + (waiters == 1 ? " waiter" : " waiters");
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio(
                        name() + "/spring-integration",
                        Figure.P50_MILLIS,
                        InterlockLocks.NAME,
                        WaitingPeers.SPRING,
                        toSpring),
                Bar.ratio(
                        name() + "/redisson",
                        Figure.P50_MILLIS,
                        InterlockLocks.NAME,
                        RedissonLocks.NAME,
                        Limit.atMost(1)));
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        PostgresUnderTest postgres = bench.servers().postgres();
        Comparison comparison = results.compare(name(), title(), Figure.P50_MILLIS);
        PostgresAddress ours = postgres.newDatabase("interlock");
        PostgresAddress spring = postgres.newDatabase("spring");
        Meter meter = Meter.of(postgres);
        List<Contender> contenders = new ArrayList<>();
        try (Clients interlock = new Clients(WaitingPeers.interlock(ours), waiters + 1);
                Clients springClients = new Clients(WaitingPeers.springIntegration(spring), waiters + 1);
                Clients redisson = new Clients(
                        WaitingPeers.redisson(bench.servers().redis().port()), waiters + 1)) {
            contenders.add(contender(InterlockLocks.NAME, interlock, meter));
            contenders.add(contender(WaitingPeers.SPRING, springClients, meter));
            contenders.add(contender(RedissonLocks.NAME, redisson, Meter.ofMachine()));
            contenders.add(contenders.get(2).again());
            Rounds.run(comparison, bench.pace(), contenders);
        }
        Counted.hotUpdates(comparison, InterlockLocks.NAME, postgres, ours);
        Counted.hotUpdates(comparison, WaitingPeers.SPRING, postgres, spring);
        try (TcpProxy proxy = TcpProxy.counting(ours.port())) {
            count(comparison, InterlockLocks.NAME, WaitingPeers.interlock(ours.through(proxy)), proxy, bench.pace());
            count(
                    comparison,
                    WaitingPeers.SPRING,
                    WaitingPeers.springIntegration(spring.through(proxy)),
                    proxy,
                    bench.pace());
        } finally {
            postgres.drop(ours);
            postgres.drop(spring);
        }
    }

    private Contender contender(String name, Clients clients, Meter meter) {
        return new Contender(name, pace -> measure(clients, meter, pace));
    }

    private void count(Comparison comparison, String name, WaitingPeer peer, TcpProxy proxy, Pace pace)
            throws Exception {
        try (Clients clients = new Clients(peer, waiters + 1)) {
            comparison.count(
                    name, Figure.ROUND_TRIPS, Counted.roundTrips(proxy, meter -> measure(clients, meter, pace)));
        }
    }

    private static Measurement measure(Clients clients, Meter meter, Pace pace) throws Exception {
        meter.checkpoint();
        HandOverRound round = new HandOverRound("hand-over", pace.steps(40, 15), pace.steps(100, 40));
        Meter.Reading before = meter.read();
        Latencies latencies = round.run(clients.all, ROUND_LIMIT);
        Measurement measured = Measurement.none();
        if (latencies.size() > 0) {
            measured = measured.with(Figure.P50_MILLIS, latencies.millis(0.5))
                    .with(Figure.P99_MILLIS, latencies.millis(0.99));
        }
        return measured.with(before.until(meter.read()).of(round.total()));
    }

    /** Clients of one peer. */
    private static final class Clients implements AutoCloseable {

        private final List<WaitingPeer.Client> all = new ArrayList<>();

        Clients(WaitingPeer peer, int count) throws Exception {
            for (int i = 0; i < count; i++) {
                all.add(peer.client());
            }
        }

        @Override
        public void close() throws Exception {
            for (WaitingPeer.Client client : all) {
                client.close();
            }
        }
    }
}
