package io.interlock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LossCause;
import io.interlock.locks.Lease.Release;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ClosingTest extends LocksFixture {

    @Test
    void grantsNothingAnyMoreAndSendsAwayWhoeverWaits() throws Exception {
        hold(KEY);
        CompletableFuture<Acquisition> waiting = locks.acquireAsync(
                        List.of(KEY), Duration.ofHours(1), locks.defaultOptions())
                .toCompletableFuture();
        eventually(() -> store.acquires.size() == 3);
        locks.close();
        assertThatThrownBy(() -> waiting.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> locks.tryAcquire(OTHER)).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> locks.acquire(OTHER, Duration.ofSeconds(1))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> locks.acquireAsync(List.of(OTHER), Duration.ofSeconds(1), locks.defaultOptions())
                        .toCompletableFuture()
                        .get(5, TimeUnit.SECONDS))
                .hasCauseInstanceOf(IllegalStateException.class);
        eventually(() -> store.watchers.isEmpty());
    }

    @Test
    void renewsUntilTheWorkHasClosedItsLease() throws Exception {
        locks = builder().drainTime(Duration.ofMinutes(10)).build();
        Lease lease = hold(KEY);
        CompletableFuture<Void> closed = CompletableFuture.runAsync(locks::close);
        eventually(this::refuses);
        seconds(120);
        assertThat(lease.isHeld()).isTrue();
        assertThat(store.isHeld(KEY)).isTrue();
        assertThat(closed).isNotDone();
        assertThat(lease.release()).isEqualTo(Release.RELEASED);
        closed.get(5, TimeUnit.SECONDS);
    }

    @Test
    void reportsWhatIsStillHeldAfterTheDrainTimeAndReleasesNothing() throws Exception {
        locks = builder().drainTime(Duration.ofSeconds(60)).closingStore().build();
        Lease lease = hold(KEY);
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        CompletableFuture<Void> closed = CompletableFuture.runAsync(locks::close);
        eventually(this::refuses);
        eventuallyAsTimePasses(closed::isDone);
        assertThat(told.get(5, TimeUnit.SECONDS)).isEqualTo(LossCause.CLOSED);
        // The calls that asked whether the locks refuse by now may have got, and given back, the other key.
        assertThat(store.releases).allMatch(batch -> batch.get(0).key().equals(OTHER));
        assertThat(store.isHeld(KEY)).isTrue();
        assertThat(store.closed).isTrue();
        assertThat(lease.release()).isEqualTo(Release.WAS_LOST);
        locks.close();
    }

    @Test
    void anInterruptEndsTheWaitingNotTheClosing() throws Exception {
        locks = builder().drainTime(Duration.ofSeconds(60)).build();
        Lease lease = hold(KEY);
        CompletableFuture<Boolean> flag = new CompletableFuture<>();
        Thread closer = new Thread(() -> {
            locks.close();
            flag.complete(Thread.currentThread().isInterrupted());
        });
        closer.start();
        eventually(this::refuses);
        closer.interrupt();
        assertThat(flag.get(5, TimeUnit.SECONDS)).isTrue();
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void aGrantThatArrivesAfterTheEndIsNoGrant() throws Exception {
        CountDownLatch granted = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        store.acquiring.after = () -> {
            granted.countDown();
            RenewalTest.join(answer);
        };
        CompletableFuture<Acquisition> late = CompletableFuture.supplyAsync(() -> locks.tryAcquire(KEY));
        assertThat(granted.await(5, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<Acquisition> later =
                locks.tryAcquireAsync(List.of(OTHER), locks.defaultOptions()).toCompletableFuture();
        locks.close();
        answer.countDown();
        assertThatThrownBy(() -> late.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(IllegalStateException.class);
        assertThat(store.isHeld(KEY)).as("given back").isFalse();
        assertThatThrownBy(() -> later.get(5, TimeUnit.SECONDS)).isInstanceOf(ExecutionException.class);
        assertThat(store.isHeld(OTHER)).isFalse();
    }

    @Test
    void leavesTheStoreOpenUnlessTold() {
        locks.close();
        locks.close();
        assertThat(store.closed).isFalse();
    }

    @Test
    void leavesNoTimerBehind() {
        Lease lease = hold(KEY);
        lease.close();
        locks.close();
        assertThat(time.scheduled()).isZero();
    }

    private boolean refuses() {
        try {
            locks.tryAcquire(OTHER).lease().ifPresent(Lease::close);
            return false;
        } catch (IllegalStateException closed) {
            return true;
        }
    }
}
