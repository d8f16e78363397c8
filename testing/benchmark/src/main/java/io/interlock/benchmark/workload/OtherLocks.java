package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.measure.Meter;
import io.interlock.benchmark.peer.InterlockLocks;
import io.interlock.benchmark.peer.JetcdLocks;
import io.interlock.benchmark.peer.LockPeer;
import io.interlock.benchmark.peer.RedissonLocks;
import io.interlock.benchmark.peer.SqliteTransactions;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import io.interlock.servers.EtcdCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Acquire and release where the store is not PostgreSQL: Interlock and one peer. */
final class OtherLocks implements Workload {

    private final String store;
    private final int threads;
    private final String peer;
    private final Limit limit;
    private final Opening opening;

    private OtherLocks(String store, int threads, String peer, Limit limit, Opening opening) {
        this.store = store;
        this.threads = threads;
        this.peer = peer;
        this.limit = limit;
        this.opening = opening;
    }

    /** Redis: beside Redisson. */
    static Workload redis(int threads, Limit limit) {
        return new OtherLocks("redis", threads, RedissonLocks.NAME, limit, (bench, ours) -> {
            LockPeer opened = ours
                    ? InterlockLocks.open(bench.servers().redis().storeUrl())
                    : RedissonLocks.open(bench.servers().redis().port());
            return opened;
        });
    }

    /** A cluster of etcd: beside the lock of etcd itself. */
    static Workload etcd(int threads, Limit limit) {
        return new OtherLocks("etcd", threads, JetcdLocks.NAME, limit, (bench, ours) -> {
            EtcdCluster cluster = bench.servers().etcd();
            return ours ? InterlockLocks.open(cluster.url()) : JetcdLocks.open(cluster.endpoints());
        });
    }

    /** SQLite: beside one transaction for each step. */
    static Workload sqlite(int threads, Limit limit) {
        return new OtherLocks("sqlite", threads, SqliteTransactions.NAME, limit, (bench, ours) -> {
            Path file = Files.createTempDirectory(bench.folder(), "sqlite").resolve("bench.db");
            return ours ? InterlockLocks.open("sqlite:" + file) : SqliteTransactions.open(file);
        });
    }

    @Override
    public String name() {
        return store + "-" + threads;
    }

    @Override
    public String title() {
        return "acquire + release of free keys on " + store + ", " + threads + (threads == 1 ? " thread" : " threads");
    }

    @Override
    public List<Bar> bars() {
        return List.of(Bar.ratio(name(), Figure.PER_SECOND, InterlockLocks.NAME, peer, limit));
    }

    @Override
    public void run(Bench bench, Results results) throws Exception {
        Comparison comparison = results.compare(name(), title(), Figure.PER_SECOND);
        try (LockContest contest = new LockContest(LockUse.ACQUIRE_RELEASE, threads)) {
            contest.add(InterlockLocks.NAME, opening.open(bench, true));
            contest.add(peer, opening.open(bench, false));
            contest.run(comparison, bench.pace(), Meter.ofMachine(), peer);
        }
    }

    private interface Opening {
        LockPeer open(Bench bench, boolean ours) throws Exception;
    }
}
