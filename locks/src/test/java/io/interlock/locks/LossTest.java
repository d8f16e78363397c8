package io.interlock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.LeaseLostException;
import io.interlock.LossCause;
import io.interlock.StoreUnavailableException;
import io.interlock.locks.Lease.Release;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LossTest extends LocksFixture {

    /** 30 s less one hundredth, less a sixth. */
    private static final double STOPS_AFTER = 24.7;

    @Test
    void isToldBeforeTheStoreCouldGrantTheKeyAgain() throws Exception {
        Lease lease = hold(KEY);
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        store.renewing.fail();
        seconds(STOPS_AFTER - 0.1);
        assertThat(lease.isHeld()).isTrue();
        assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(100));
        seconds(0.1);
        assertThat(lease.isHeld()).isFalse();
        assertThat(told.get(5, TimeUnit.SECONDS)).isEqualTo(LossCause.UNCONFIRMED);
        assertThat(store.isHeld(KEY)).as("the store still keeps the key closed").isTrue();
        assertThatThrownBy(lease::checkpoint)
                .isInstanceOf(LeaseLostException.class)
                .hasMessageContaining("no renewal was confirmed in time");
    }

    @Test
    void isToldInTimeThoughTheRenewalHangs() throws Exception {
        time.onOwnThread("interlock-renewal");
        CountDownLatch never = new CountDownLatch(1);
        Lease lease = hold(KEY);
        store.renewing.before = () -> RenewalTest.join(never);
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        seconds(STOPS_AFTER);
        assertThat(told.get(5, TimeUnit.SECONDS)).isEqualTo(LossCause.UNCONFIRMED);
        never.countDown();
    }

    @Test
    void countsFromBeforeTheAcquireWasSent() {
        store.acquiring.after = () -> seconds(10);
        Lease lease = hold(KEY);
        store.acquiring.heal();
        store.renewing.fail();
        assertThat(lease.remaining()).isEqualTo(Duration.ofMillis(Math.round((STOPS_AFTER - 10) * 1000)));
        seconds(STOPS_AFTER - 10);
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void countsFromBeforeTheRenewalWasSent() {
        Lease lease = hold(KEY);
        boolean[] first = {true};
        store.renewing.before = () -> {
            if (!first[0]) {
                ScriptedStore.UNAVAILABLE.run();
            }
            first[0] = false;
        };
        store.renewing.after = () -> time.onOwnThread("interlock-watch").advance(Duration.ofSeconds(10));
        double until = 0;
        while (store.renewals.isEmpty()) {
            seconds(0.1);
            until += 0.1;
        }
        assertThat(until).isLessThan(11.5);
        // The renewal was sent just now, and its answer took ten seconds.
        assertThat(lease.remaining()).isBetween(Duration.ofMillis(14_500), Duration.ofMillis(14_800));
    }

    @Test
    void refusesAGrantThatArrivedTooLateToRelyOn() {
        store.acquiring.after = () -> seconds(25);
        assertThatThrownBy(() -> hold(KEY))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("too late");
        store.acquiring.heal();
        seconds(1);
        assertThat(store.isHeld(KEY)).as("given back").isFalse();
    }

    @Test
    void isLostAtOnceWhenTheStoreSaysSo() throws Exception {
        Lease lease = hold(KEY);
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        locks.evict(KEY, lease.token(), "ops", "stuck");
        assertThat(locks.validate(KEY, lease.token())).isFalse();
        seconds(12);
        assertThat(told.get(5, TimeUnit.SECONDS)).isEqualTo(LossCause.EVICTED);
        assertThat(lease.release()).isEqualTo(Release.WAS_LOST);
        assertThat(store.isHeld(KEY)).as("the victim confirmed that it stopped").isFalse();
    }

    @Test
    void noticesThatTheMachineSlept() {
        Lease lease = hold(KEY);
        seconds(1);
        List<LossCause> told = new CopyOnWriteArrayList<>();
        lease.onLost(told::add);
        time.sleepMachine(Duration.ofMinutes(10));
        assertThat(lease.isHeld()).as("by its own look").isFalse();
        eventually(() -> told.equals(List.of(LossCause.UNCONFIRMED)));
    }

    @Test
    void tellsAfterTheMachineSleptThoughNobodyAsks() {
        Lease lease = hold(KEY);
        seconds(1);
        List<LossCause> told = new CopyOnWriteArrayList<>();
        lease.onLost(told::add);
        store.renewing.fail();
        time.sleepMachine(Duration.ofMinutes(10));
        seconds(0.5);
        eventually(() -> told.equals(List.of(LossCause.UNCONFIRMED)));
    }

    @Test
    void countsTheTimeTheMachineSleptThoughItIsLostOnlyLater() {
        Lease lease = hold(KEY);
        seconds(1);
        List<LossCause> told = new CopyOnWriteArrayList<>();
        lease.onLost(told::add);
        store.renewing.fail();
        time.sleepMachine(Duration.ofSeconds(20));
        seconds(3.6);
        assertThat(told).isEmpty();
        seconds(0.1);
        eventually(() -> told.equals(List.of(LossCause.UNCONFIRMED)));
        assertThat(store.isHeld(KEY)).as("the store still keeps the key closed").isTrue();
    }

    @Test
    void aWallClockSetBackChangesNothing() {
        Lease lease = hold(KEY);
        time.sleepMachine(Duration.ofHours(-2));
        seconds(60);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void isOverdueAtItsLimitAndReleasedOnlyByItsWork() throws Exception {
        LeaseOptions limited = locks.defaultOptions().maxHold(Duration.ofSeconds(60));
        Lease lease = locks.tryAcquire(KEY, limited).orElseThrow();
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        seconds(59.9);
        assertThat(lease.isHeld()).isTrue();
        seconds(0.1);
        assertThat(told.get(5, TimeUnit.SECONDS)).isEqualTo(LossCause.OVERDUE);
        int renewals = store.renewals.size();
        assertThat(store.releases).isEmpty();
        seconds(20);
        assertThat(store.renewals).hasSize(renewals);
        assertThat(lease.release()).isEqualTo(Release.WAS_LOST);
        assertThat(store.current(KEY)).isNull();
    }

    @Test
    void tellsWhoeverRegistersLateAtOnceAndSurvivesListenersThatThrow() throws Exception {
        Lease lease = hold(KEY);
        store.renewing.fail();
        lease.onLost(cause -> {
            throw new IllegalStateException("a broken listener");
        });
        CompletableFuture<LossCause> second = new CompletableFuture<>();
        lease.onLost(second::complete);
        seconds(30);
        assertThat(second.get(5, TimeUnit.SECONDS)).isEqualTo(LossCause.UNCONFIRMED);
        CompletableFuture<LossCause> late = new CompletableFuture<>();
        lease.onLost(late::complete);
        assertThat(late.get(5, TimeUnit.SECONDS)).isEqualTo(LossCause.UNCONFIRMED);
    }

    @Test
    void tellsAndServesThoughNoMoreThreadsCanBeMade() throws Exception {
        locks = builder()
                .environment(new OutOfThreads(time, "interlock-callback"))
                .build();
        Lease first = hold(KEY);
        Lease second = hold(OTHER);
        List<LossCause> told = new CopyOnWriteArrayList<>();
        first.onLost(told::add);
        second.onLost(told::add);
        store.renewing.fail();
        seconds(25);
        eventually(() -> told.equals(List.of(LossCause.UNCONFIRMED, LossCause.UNCONFIRMED)));
        CompletableFuture<Acquisition> waiting = locks.acquireAsync(
                        List.of(KEY), Duration.ofMinutes(5), locks.defaultOptions())
                .toCompletableFuture();
        first.close();
        assertThat(waiting.get(5, TimeUnit.SECONDS).orElseThrow().isHeld()).isTrue();
    }

    @Test
    void releasingTwiceIsHarmlessAndTellsNobody() {
        Lease lease = hold(KEY);
        List<LossCause> told = new ArrayList<>();
        lease.onLost(told::add);
        assertThat(lease.release()).isEqualTo(Release.RELEASED);
        assertThat(lease.release()).isEqualTo(Release.WAS_RELEASED);
        lease.close();
        lease.close();
        assertThat(store.releases).hasSize(1);
        assertThat(told).isEmpty();
        assertThatThrownBy(lease::checkpoint).hasMessageContaining("released");
    }
}
