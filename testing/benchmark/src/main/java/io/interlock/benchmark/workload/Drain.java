package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Contender;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.measure.Rounds;
import io.interlock.benchmark.peer.RunPeers;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.benchmark.server.PostgresUnderTest;
import io.interlock.benchmark.server.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Processes that do runs which were submitted before: from the moment they are let loose until no run is open. Each contender keeps its processes
 * and its database over all rounds, and has worked for a while before the first.
 */
final class Drain implements Workload {

    private static final List<RunPeers> PEERS = List.of(RunPeers.values());
    private static final int COUNTED_RUNS = 1_000;

    private final int processes;
    private final int slots;

    Drain(int processes, int slots) {
        this.processes = processes;
        this.slots = slots;
    }

    @Override
    public String name() {
        return "drain-" + processes + "x" + slots;
    }

    @Override
    public String title() {
        return "20,000 no-op runs over 2,000 keys (quick: 4,000 over 400), " + processes
                + (processes == 1 ? " process of " : " processes of ") + slots + " slots";
    }

    @Override
    public List<Bar> bars() {
        return List.of(
                Bar.ratio(
                        name() + "/db-scheduler",
                        Figure.PER_SECOND,
                        RunPeers.INTERLOCK.title(),
                        RunPeers.DB_SCHEDULER.title(),
                        Limit.atLeast(1)),
                Bar.ratio(
                        name() + "/jobrunr",
                        Figure.PER_SECOND,
                        RunPeers.INTERLOCK.title(),
                        RunPeers.JOBRUNR.title(),
                        Limit.atLeast(4)),
                Bar.value(name() + "/wal-bytes", Figure.WAL_BYTES, RunPeers.INTERLOCK.title(), Limit.atMost(2_500)));
    }

    @Override
    public Duration limit(Pace pace) {
        return pace.span(Duration.ofMinutes(20), Duration.ofMinutes(5));
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        PostgresUnderTest postgres = bench.servers().postgres();
        Comparison comparison = results.compare(name(), title(), Figure.PER_SECOND);
        comparison.note("WAL bytes, commits and CPU are those of submitting and doing a run, both counted.");
        int runs = bench.pace().steps(20_000, 4_000);
        Duration warm = bench.pace().span(Duration.ofSeconds(50), Duration.ofSeconds(15));
        Map<RunPeers, PostgresAddress> databases = new EnumMap<>(RunPeers.class);
        List<DrainRound> open = new ArrayList<>();
        List<Contender> contenders = new ArrayList<>();
        try {
            for (RunPeers peer : PEERS) {
                databases.put(peer, database(peer, postgres));
                DrainRound round = new DrainRound(peer, databases.get(peer), processes, slots);
                open.add(round);
                round.warmUp(warm);
                contenders.add(new Contender(peer.title(), pace -> round.run(runs, Meter.of(postgres))));
            }
            contenders.add(contenders.get(PEERS.indexOf(RunPeers.DB_SCHEDULER)).again());
            Rounds.run(comparison, bench.pace(), contenders);
        } finally {
            for (DrainRound round : open) {
                round.close();
            }
            databases.values().forEach(postgres::drop);
        }
        for (RunPeers peer : List.of(RunPeers.INTERLOCK, RunPeers.DB_SCHEDULER)) {
            count(comparison, peer, postgres);
        }
    }

    private void count(Comparison comparison, RunPeers peer, PostgresUnderTest postgres) throws Exception {
        PostgresAddress database = database(peer, postgres);
        try {
            try (TcpProxy proxy = TcpProxy.counting(database.port());
                    DrainRound round = new DrainRound(peer, database.through(proxy), processes, slots)) {
                comparison.count(
                        peer.title(),
                        Figure.ROUND_TRIPS,
                        Counted.roundTrips(proxy, meter -> round.run(COUNTED_RUNS, meter)));
            }
            Counted.hotUpdates(comparison, peer.title(), postgres, database);
        } finally {
            postgres.drop(database);
        }
    }

    private static PostgresAddress database(RunPeers peer, PostgresUnderTest postgres) {
        return postgres.newDatabase(peer.name().toLowerCase(Locale.ROOT));
    }
}
