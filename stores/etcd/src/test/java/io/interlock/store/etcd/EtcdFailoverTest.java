package io.interlock.store.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.servers.EtcdCluster;
import io.interlock.spi.Stores;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** The leader of a cluster dies again and again while eight threads of four clients take turns. */
class EtcdFailoverTest {

    private static final LockKey KEY = LockKey.of("acme", "failover");
    private static final int KILLS = Integer.getInteger("interlock.etcd.kills", 2);

    /** The time from a kill to the next, if it is set; otherwise as soon as the cluster works again. */
    private static final Duration PERIOD = Duration.ofSeconds(Integer.getInteger("interlock.etcd.period", 0));

    private final AtomicBoolean over = new AtomicBoolean();
    private final AtomicInteger inside = new AtomicInteger();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final Queue<Grant> grants = new ConcurrentLinkedQueue<>();

    private record Grant(long token, long nanos) {}

    @Test
    void noTwoHoldersAndRisingTokensWhileLeadersDie() throws Exception {
        assumeTrue(EtcdCluster.isAvailable(), "etcd is not installed (Debian: etcd-server)");
        ExecutorService threads = Executors.newFixedThreadPool(8);
        List<Locks> clients = new ArrayList<>();
        try (EtcdCluster cluster = EtcdCluster.start(3)) {
            for (int i = 0; i < 4; i++) {
                clients.add(Locks.on(Stores.open(cluster.url())));
            }
            List<Future<?>> lockers = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Locks locks = clients.get(i % clients.size());
                lockers.add(threads.submit(() -> takeTurns(locks)));
            }
            long begin = System.nanoTime();
            for (int i = 0; i < KILLS; i++) {
                awaitGrants(20);
                long due = begin + PERIOD.multipliedBy(i + 1).toNanos();
                Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> System.nanoTime() >= due);
                EtcdCluster.Member leader = Awaitility.await()
                        .atMost(Duration.ofSeconds(60))
                        .until(() -> cluster.leader().orElse(null), found -> found != null);
                leader.kill();
                awaitGrants(20);
                leader.start();
            }
            over.set(true);
            for (Future<?> locker : lockers) {
                locker.get();
            }
            clients.forEach(Locks::close);
        } finally {
            over.set(true);
            threads.shutdownNow();
        }
        assertThat(violations).isEmpty();
        List<Grant> all = List.copyOf(grants);
        assertThat(all).extracting(Grant::token).isSorted().doesNotHaveDuplicates();
        long longest = 0;
        for (int i = 1; i < all.size(); i++) {
            longest = Math.max(longest, all.get(i).nanos() - all.get(i - 1).nanos());
        }
        System.out.printf(
                "etcd: %d leaders killed in %d s, %d grants, 0 violations, longest gap %d ms%n",
                KILLS,
                (all.get(all.size() - 1).nanos() - all.get(0).nanos()) / 1_000_000_000,
                all.size(),
                longest / 1_000_000);
    }

    private void awaitGrants(int more) {
        int before = grants.size();
        Awaitility.await().atMost(Duration.ofSeconds(90)).until(() -> grants.size() >= before + more);
    }

    private Void takeTurns(Locks locks) throws InterruptedException {
        while (!over.get()) {
            try {
                Acquisition acquisition = locks.acquire(
                        KEY, Duration.ofSeconds(5), LeaseOptions.defaults().ttl(Duration.ofSeconds(3)));
                if (acquisition instanceof Acquisition.Granted) {
                    try (Lease lease = acquisition.orElseThrow()) {
                        work(lease);
                    }
                }
            } catch (StoreUnavailableException betweenLeaders) {
                Thread.onSpinWait();
            }
        }
        return null;
    }

    private void work(Lease lease) {
        if (inside.incrementAndGet() > 1 && lease.isHeld()) {
            violations.add("two holders at token " + lease.token());
        }
        grants.add(new Grant(lease.token().value(), System.nanoTime()));
        inside.decrementAndGet();
    }
}
