package io.interlock.benchmark.workload;

import io.interlock.benchmark.measure.Figure;
import io.interlock.benchmark.peer.InterlockLocks;
import io.interlock.benchmark.peer.ShedLockJdbc;
import io.interlock.benchmark.report.Bar;
import io.interlock.benchmark.report.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** All workloads with their bars, in the order in which they run. */
public final class Catalog {

    private static final int MANY = 64;

    private Catalog() {}

    /** All of them. */
    public static List<Workload> all() {
        List<Workload> all = new ArrayList<>();
        all.add(acquire(1, Limit.atLeast(1)));
        all.add(acquire(8, Limit.atLeast(1)));
        all.add(acquire(MANY, Limit.atLeast(2.5)));
        all.add(refusal("refusal-1", LockUse.REFUSAL, 1, Limit.atLeast(0.8)));
        all.add(refusal("refusal-64", LockUse.REFUSAL, MANY, Limit.atLeast(3)));
        all.add(refusal("refusal-hot-64", LockUse.REFUSAL_OF_ONE_KEY, MANY, Limit.atLeast(8)));
        all.add(new HandOver(1, Limit.atMostOneIn(15)));
        all.add(new HandOver(8, Limit.atMostOneIn(15)));
        all.add(new HandOver(32, Limit.atMostOneIn(3)));
        all.add(new Renewal());
        all.add(new TakeOver());
        all.add(Submit.by(1, Limit.atLeast(0.7)));
        all.add(Submit.by(8, Limit.atLeast(1)));
        all.add(Submit.by(MANY, Limit.atLeast(1)));
        all.add(new Drain(1, 16));
        all.add(new Drain(1, 64));
        all.add(new Drain(2, 16));
        all.add(new Drain(2, 64));
        all.add(new StartLatency());
        all.add(new OneKey());
        all.add(new LiveWaiters());
        all.add(Submit.delayed(8, Duration.ofMillis(1), Limit.atLeast(0.1)));
        all.add(new Growth());
        all.add(OtherLocks.redis(1, Limit.atLeast(1)));
        all.add(OtherLocks.redis(MANY, Limit.atLeast(2)));
        all.add(OtherLocks.etcd(1, Limit.atLeast(0.2)));
        all.add(OtherLocks.etcd(MANY, Limit.atLeast(0.5)));
        all.add(OtherLocks.sqlite(1, Limit.atLeast(0.8)));
        all.add(OtherLocks.sqlite(MANY, Limit.atLeast(8)));
        all.add(new MemoryLocks());
        all.add(new Rest());
        all.add(new Script("cli", "time from a command to its started child, beside flock and etcdctl", "20", "3"));
        all.add(new Script("long-polls", "what clients that wait cost all others", "5000", "500"));
        return all;
    }

    private static Workload acquire(int threads, Limit limit) {
        String name = "acquire-" + threads;
        List<Bar> bars = new ArrayList<>();
        bars.add(Bar.ratio(name, Figure.PER_SECOND, InterlockLocks.NAME, ShedLockJdbc.NAME, limit));
        // One for the acquire and one for the release; a look of the sweeper may fall between them.
        bars.add(Bar.value(name + "/round-trips", Figure.ROUND_TRIPS, InterlockLocks.NAME, Limit.atMost(2.05)));
        bars.add(Bar.value(name + "/wal-bytes", Figure.WAL_BYTES, InterlockLocks.NAME, Limit.atMost(450)));
        bars.add(Bar.value(name + "/hot", Figure.HOT_PERCENT, InterlockLocks.NAME, Limit.atLeast(95)));
        return new PostgresLocks(
                name, "acquire + release of free keys, " + threads(threads), LockUse.ACQUIRE_RELEASE, threads, bars);
    }

    private static Workload refusal(String name, LockUse use, int threads, Limit limit) {
        return new PostgresLocks(
                name,
                (use == LockUse.REFUSAL
                                ? "refusal of a key per thread that another client holds, "
                                : "refusal of one key that another client holds, ")
                        + threads(threads),
                use,
                threads,
                List.of(
                        Bar.ratio(name, Figure.PER_SECOND, InterlockLocks.NAME, ShedLockJdbc.NAME, limit),
                        Bar.value(name + "/wal-bytes", Figure.WAL_BYTES, InterlockLocks.NAME, Limit.below(1))));
    }

    private static String threads(int count) {
        return count == 1 ? "1 thread" : count + " threads";
    }
}
