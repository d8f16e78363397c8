package io.interlock.store.sqlite;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.Stores;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients with connections of their own, all writing to one file. A transaction that reads before it has the write lock
 * would fail here again and again with SQLITE_BUSY, however long its timeout.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SqliteContentionTest {

    private static final int CLIENTS = 4;
    private static final int ROUNDS = 50;

    @TempDir
    Path folder;

    private final Map<LockKey, AtomicInteger> inside = new ConcurrentHashMap<>();
    private final Map<LockKey, FencingToken> last = new ConcurrentHashMap<>();
    private final AtomicInteger granted = new AtomicInteger();

    @Test
    void noClientIsTurnedAwayByAnother() throws Exception {
        CyclicBarrier together = new CyclicBarrier(CLIENTS);
        ExecutorService pool = Executors.newFixedThreadPool(CLIENTS);
        try {
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(pool.submit(() -> {
                    together.await(10, TimeUnit.SECONDS);
                    try (LeaseStore store = Stores.open("sqlite:" + folder.resolve("leases.db") + "?timeout=30s")) {
                        hammer(new Caller(store));
                    }
                    return true;
                }));
            }
            for (Future<?> client : clients) {
                client.get();
            }
        } finally {
            pool.shutdown();
        }
        assertThat(granted.get()).isEqualTo(CLIENTS * ROUNDS);
    }

    private void hammer(Caller caller) {
        for (int round = 0; round < ROUNDS; round++) {
            LockKey key = LockKey.of("key-" + round % 3);
            AcquireAnswer answer = caller.ask(key);
            while (!(answer instanceof AcquireAnswer.Granted)) {
                answer = caller.ask(key);
            }
            LeaseRecord lease = ((AcquireAnswer.Granted) answer).grants().get(0).lease();
            work(key, lease, caller);
            assertThat(caller.release(lease)).isInstanceOf(ReleaseAnswer.Released.class);
        }
    }

    private void work(LockKey key, LeaseRecord lease, Caller caller) {
        AtomicInteger count = inside.computeIfAbsent(key, unused -> new AtomicInteger());
        assertThat(count.incrementAndGet()).isEqualTo(1);
        FencingToken before = last.put(key, lease.token());
        assertThat(before == null || lease.token().isAfter(before)).isTrue();
        assertThat(caller.renew(lease)).isInstanceOf(RenewAnswer.Renewed.class);
        granted.incrementAndGet();
        count.decrementAndGet();
    }
}
