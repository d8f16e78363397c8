package io.interlock.spring.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.interlock.LeaseLostException;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.locks.LeaseClient;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
@SuppressWarnings("LockNotBeforeTry") // the tests are about locking itself
class InterlockLockRegistryTest {

    private static final LockKey KEY = LockKey.of("si/orders");

    private final LeaseClient leases = LeaseClient.open("memory:", Environment.system());
    private final Locks here = open();
    private final Locks there = open();
    private final InterlockLockRegistry registry = registry(here);
    private final InterlockLockRegistry other = registry(there);

    @AfterEach
    void close() {
        here.close();
        there.close();
        leases.close();
    }

    @Test
    void aLockIsReentrantAndHeldUntilTheLastUnlock() throws Exception {
        Lock lock = registry.obtain("orders");
        lock.lock();
        assertThat(registry.obtain("orders").tryLock()).isTrue();
        lock.unlock();
        assertThat(CompletableFuture.supplyAsync(() -> other.obtain("orders").tryLock())
                        .get())
                .isFalse();
        lock.unlock();
        assertThat(here.find(KEY)).isEmpty();
        assertThat(other.obtain("orders").tryLock(5, TimeUnit.SECONDS)).isTrue();
        other.obtain("orders").unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
    }

    @Test
    void threadsOfTwoProcessesTakeTurns() throws Exception {
        int[] plain = new int[1];
        List<CompletableFuture<Void>> work = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            InterlockLockRegistry one = i % 2 == 0 ? registry : other;
            work.add(CompletableFuture.runAsync(() -> {
                for (int j = 0; j < 25; j++) {
                    Lock lock = one.obtain("orders");
                    lock.lock();
                    try {
                        plain[0]++;
                    } finally {
                        lock.unlock();
                    }
                }
            }));
        }
        for (CompletableFuture<Void> each : work) {
            each.get(50, TimeUnit.SECONDS);
        }
        assertThat(plain[0]).isEqualTo(200);
    }

    @Test
    void aLostLockIsReportedByUnlockAndByTheNextLock() throws Exception {
        Lock lock = registry.obtain("orders");
        lock.lock();
        LeaseRecord lease = here.find(KEY).orElseThrow();
        here.evict(KEY, lease.token(), "operator", "test");
        await().pollInSameThread()
                .atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThatThrownBy(() -> {
                            lock.lock();
                            lock.unlock();
                        })
                        .isInstanceOf(LeaseLostException.class));
        assertThatThrownBy(lock::unlock).isInstanceOf(ConcurrentModificationException.class);
        assertThat(registry.obtain("orders").tryLock(5, TimeUnit.SECONDS)).isTrue();
        lock.unlock();
    }

    private Locks open() {
        return leases.locks()
                .options(LeaseOptions.defaults().renewEvery(Duration.ofMillis(20)))
                .build();
    }

    private static InterlockLockRegistry registry(Locks locks) {
        return new InterlockLockRegistry(locks, LockKey.DEFAULT_TENANT, "si/");
    }
}
