package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.Refusal;
import io.interlock.locks.Acquisition;
import io.interlock.locks.Lease;
import io.interlock.locks.LeaseOptions;
import io.interlock.locks.Locks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Waiting for a key through the lock library. */
interface WaitingContract extends Contract {

    @Test
    @Tag("locks")
    default void threadsOfOneProcessAreServedInTheOrderTheyCame() throws Exception {
        Locks locks = bench().locks();
        Lease first = locks.tryAcquire(key("line")).orElseThrow();
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<Waiter> waiters = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            int number = i;
            waiters.add(Waiter.queued(() -> {
                try (Lease lease =
                        locks.acquire(key("line"), bench().patience()).orElseThrow()) {
                    served.add(number);
                    lease.checkpoint();
                }
                return number;
            }));
        }
        first.release();
        for (Waiter waiter : waiters) {
            waiter.result();
        }
        assertThat(served).containsExactly(0, 1, 2, 3, 4);
    }

    @Test
    @Tag("locks")
    default void noWaiterIsForgottenThoughEveryWakeUpIsLost() throws Exception {
        Locks holder = bench().locks(new SilentStore(bench().openUnrecorded()));
        Locks other = bench().locks(new SilentStore(bench().openUnrecorded()));
        for (int round = 0; round < 3; round++) {
            Lease held = holder.acquire(key("silent"), bench().patience()).orElseThrow();
            Waiter same = Waiter.waiting(() -> turn(holder, "silent"));
            Waiter elsewhere = Waiter.waiting(() -> turn(other, "silent"));
            held.release();
            same.result();
            elsewhere.result();
        }
    }

    @Test
    @Tag("locks")
    default void aReleaseWakesAWaiterOfAnotherClientLongBeforeItLooksByItself() throws Exception {
        assumeTrue(bench().capabilities().wakeUps(), "this store sends no wake-ups");
        Locks holder = bench().locks();
        Locks other = bench().locks(bench().openUnrecorded(), Duration.ofMinutes(10));
        Lease held = holder.tryAcquire(key("woken")).orElseThrow();
        Waiter waiter = Waiter.waiting(() -> turn(other, "woken"));
        held.release();
        waiter.result();
    }

    @Test
    @Tag("locks")
    default void anInterruptedWaiterLeavesTheLineAndTheNextIsServed() throws Exception {
        Locks locks = bench().locks();
        Lease held = locks.tryAcquire(key("line")).orElseThrow();
        Waiter interrupted = Waiter.waiting(() -> turn(locks, "line"));
        Waiter next = Waiter.waiting(() -> turn(locks, "line"));
        interrupted.interrupt();
        assertThat(interrupted.failure()).isInstanceOf(InterruptedException.class);
        held.release();
        next.result();
        assertThat(client().find(key("line"))).isEmpty();
    }

    /** The interrupt arrives before, during and after the grant; it must never leave a lease without a holder. */
    @Test
    @Tag("locks")
    default void anInterruptAtAnyMomentLeavesNothingHeld() throws Exception {
        Locks locks = bench().locks();
        Locks other = bench().locks();
        for (int round = 0; round < 20; round++) {
            Lease held = locks.acquire(key("line"), bench().patience()).orElseThrow();
            Waiter waiter = round % 2 == 0
                    ? Waiter.waiting(() -> turn(locks, "line"))
                    : Waiter.started(() -> turn(locks, "line"));
            CompletableFuture<?> released = held.releaseAsync().toCompletableFuture();
            if (round % 4 < 2) {
                released.get(bench().patience().toSeconds(), TimeUnit.SECONDS);
            }
            waiter.interrupt();
            waiter.finished();
            released.get(bench().patience().toSeconds(), TimeUnit.SECONDS);
            turn(other, "line");
        }
        assertThat(client().find(key("line"))).isEmpty();
    }

    @Test
    @Tag("locks")
    default void aWaiterWhoseTimeIsUpIsToldWhoHasTheKeyAndTheNextIsServed() throws Exception {
        Locks locks = bench().locks();
        Lease held = locks.tryAcquire(key("line")).orElseThrow();
        Waiter next = Waiter.waiting(() -> turn(locks, "line"));
        Acquisition late = Waiter.elsewhere(() -> locks.acquire(key("line"), Duration.ofMillis(150)));
        assertThat(((Acquisition.Refused) late).refusal()).isInstanceOf(Refusal.Held.class);
        held.release();
        next.result();
        assertThat(client().find(key("line"))).isEmpty();
    }

    @Test
    @Tag("locks")
    default void aWaitThatIsCancelledLeavesTheLine() throws Exception {
        Locks locks = bench().locks();
        Lease held = locks.tryAcquire(key("line")).orElseThrow();
        CompletableFuture<Acquisition> cancelled = locks.acquireAsync(
                        List.of(key("line")), bench().patience(), LeaseOptions.defaults())
                .toCompletableFuture();
        CompletableFuture<Acquisition> next = locks.acquireAsync(
                        List.of(key("line")), bench().patience(), LeaseOptions.defaults())
                .toCompletableFuture();
        assertThat(cancelled.cancel(true)).isTrue();
        held.release();
        next.get(bench().patience().toSeconds(), TimeUnit.SECONDS).orElseThrow().release();
        // In either order: no abandoned waiter may acquire the key and never release it.
        locks.acquire(key("line"), bench().patience()).orElseThrow().release();
        assertThat(client().find(key("line"))).isEmpty();
    }

    @Test
    @Tag("locks")
    default void whoWaitsForSeveralKeysHoldsNoneOfThemMeanwhile() throws Exception {
        Locks locks = bench().locks();
        Locks other = bench().locks();
        Lease a = other.tryAcquire(key("a")).orElseThrow();
        Waiter waiter = Waiter.waiting(() -> {
            try (Lease both = locks.acquireAll(List.of(key("b"), key("a")), bench().patience(), LeaseOptions.defaults())
                    .orElseThrow()) {
                return both.tokens().size();
            }
        });
        other.tryAcquire(key("b")).orElseThrow().release();
        a.release();
        assertThat(waiter.result()).isEqualTo(2);
        assertThat(client().store().find(List.of(key("a"), key("b")))).allMatch(found -> found.isEmpty());
    }

    @Test
    @Tag("locks")
    default void threadsThatCountUnderTheLockLoseNoUpdate() throws Exception {
        List<Locks> locks = List.of(bench().locks(), bench().locks());
        MutualExclusionProbe.Result result = MutualExclusionProbe.threads(locks, key("counter"), 6, 15);
        assertThat(result.counted()).isEqualTo(result.turns());
    }

    private boolean turn(Locks locks, String name) throws InterruptedException {
        try (Lease lease = locks.acquire(key(name), bench().patience()).orElseThrow()) {
            lease.checkpoint();
            return true;
        }
    }
}
