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
import java.util.ConcurrentModificationException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.integration.leader.Context;
import org.springframework.integration.leader.DefaultCandidate;
import org.springframework.integration.leader.event.LeaderEventPublisher;
import org.springframework.integration.support.leader.LockRegistryLeaderInitiator;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.integration.support.locks.LockRegistry;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
@SuppressWarnings("LockNotBeforeTry") // the tests are about locking itself
class InterlockLockRegistryTest extends LockRegistryCases {

    private static final LockKey KEY = LockKey.of("si/orders");
    private static final LockKey LEADER = LockKey.of("si/leader");

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
    void aLockWithATimeOfItsOwnIsALeaseOfThatTime() throws Exception {
        DistributedLock lock = registry.obtain("orders");
        lock.lock(Duration.ofSeconds(7));
        assertThat(ttl()).isEqualTo(Duration.ofSeconds(7));
        lock.unlock();
        assertThat(lock.tryLock(Duration.ofSeconds(5), Duration.ofSeconds(9))).isTrue();
        assertThat(ttl()).isEqualTo(Duration.ofSeconds(9));
        lock.unlock();
        assertThat(here.find(KEY)).isEmpty();
    }

    @Test
    void oneNodeLeadsAndAnotherFollowsIt() throws Exception {
        BlockingQueue<String> said = new LinkedBlockingQueue<>();
        LockRegistryLeaderInitiator first = leader("first", registry, said);
        LockRegistryLeaderInitiator second = leader("second", other, said);
        try {
            first.start();
            assertThat(said.poll(30, TimeUnit.SECONDS)).isEqualTo("first leads");
            second.start();
            assertThat(second.getContext().isLeader()).isFalse();
            first.stop();
            assertThat(List.of(next(said), next(said))).containsExactlyInAnyOrder("first led", "second leads");
        } finally {
            first.stop();
            second.stop();
        }
    }

    @Test
    void aLeaderWhoseLeaseIsLostIsTold() throws Exception {
        BlockingQueue<String> said = new LinkedBlockingQueue<>();
        LockRegistryLeaderInitiator leader = leader("first", registry, said);
        try {
            leader.start();
            assertThat(next(said)).isEqualTo("first leads");
            LeaseRecord lease = here.find(LEADER).orElseThrow();
            here.evict(LEADER, lease.token(), "operator", "test");
            assertThat(next(said)).isEqualTo("first led");
        } finally {
            leader.stop();
        }
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

    private Duration ttl() {
        LeaseRecord lease = here.find(KEY).orElseThrow();
        return Duration.between(lease.grantedAt(), lease.expiresAt());
    }

    @Override
    LockRegistry<?> registry() {
        return registry;
    }

    @Override
    LockRegistry<?> other() {
        return other;
    }

    /** A node of Spring Integration's leader election, which says when it begins and ends to lead. */
    private static LockRegistryLeaderInitiator leader(
            String name, InterlockLockRegistry registry, BlockingQueue<String> said) {
        LockRegistryLeaderInitiator leader =
                new LockRegistryLeaderInitiator(registry, new DefaultCandidate(name, "leader"));
        leader.setHeartBeatMillis(20);
        leader.setBusyWaitMillis(20);
        leader.setLeaderEventPublisher(new LeaderEventPublisher() {
            @Override
            public void publishOnGranted(Object source, Context context, String role) {
                said.add(name + " leads");
            }

            @Override
            public void publishOnRevoked(Object source, Context context, String role) {
                said.add(name + " led");
            }

            @Override
            public void publishOnFailedToAcquire(Object source, Context context, String role) {
                said.add(name + " failed");
            }
        });
        return leader;
    }

    private static @Nullable String next(BlockingQueue<String> said) throws InterruptedException {
        return said.poll(30, TimeUnit.SECONDS);
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
