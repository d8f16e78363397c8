package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.measure.Pace;
import io.interlock.benchmark.measure.Throughput;
import io.interlock.benchmark.peer.InterlockLocks;
import io.interlock.benchmark.peer.LockPeer;
import io.interlock.benchmark.peer.RawStatements;
import io.interlock.benchmark.peer.ShedLockJdbc;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.server.PostgresAddress;
import io.interlock.benchmark.server.PostgresUnderTest;
import io.interlock.benchmark.server.TcpProxy;
import java.util.List;
import java.util.Locale;

/** Locks in PostgreSQL: Interlock, ShedLock, and one plain statement for each step. */
final class PostgresLocks implements Workload {

    private final String name;
    private final String title;
    private final LockUse use;
    private final int threads;
    private final List<Bar> bars;

    PostgresLocks(String name, String title, LockUse use, int threads, List<Bar> bars) {
        this.name = name;
        this.title = title;
        this.use = use;
        this.threads = threads;
        this.bars = bars;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public List<Bar> bars() {
        return bars;
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        PostgresUnderTest postgres = bench.servers().postgres();
        Comparison comparison = results.compare(name, title, Figure.PER_SECOND);
        List<Entry> entries = List.of(
                Entry.of(postgres, InterlockLocks.NAME, address -> InterlockLocks.open(address.storeUrl())),
                Entry.of(postgres, ShedLockJdbc.NAME, ShedLockJdbc::open),
                Entry.of(postgres, RawStatements.NAME, RawStatements::open));
        try {
            try (LockContest contest = new LockContest(use, threads)) {
                for (Entry entry : entries) {
                    contest.add(entry.name, entry.opener.open(entry.database));
                }
                contest.run(comparison, bench.pace(), Meter.of(postgres), ShedLockJdbc.NAME);
            }
            for (Entry entry : entries) {
                Counted.hotUpdates(comparison, entry.name, postgres, entry.database);
                comparison.count(entry.name, Figure.ROUND_TRIPS, roundTrips(entry, bench.pace()));
            }
        } finally {
            entries.forEach(entry -> postgres.drop(entry.database));
        }
    }

    private double roundTrips(Entry entry, Pace pace) throws Exception {
        try (TcpProxy proxy = TcpProxy.counting(entry.database.port());
                LockPeer counted = entry.opener.open(entry.database.through(proxy))) {
            use.prepare(counted, threads);
            return Counted.roundTrips(
                    proxy, meter -> Throughput.measure(threads, pace.counting(), meter, use.step(counted, threads)));
        }
    }

    /** A peer in a database of its own. */
    private record Entry(String name, LockPeer.Opener<PostgresAddress> opener, PostgresAddress database) {

        static Entry of(PostgresUnderTest postgres, String name, LockPeer.Opener<PostgresAddress> opener) {
            return new Entry(name, opener, postgres.newDatabase(name.toLowerCase(Locale.ROOT)));
        }
    }
}
