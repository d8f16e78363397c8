package io.interlock.locks;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.StoreUnavailableException;
import io.interlock.locks.Lease.Release;
import io.interlock.spi.LeaseStore.RenewRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RenewalTest extends LocksFixture {

    @Test
    void keepsALeaseForAsLongAsItsHolderLives() {
        Lease lease = hold(KEY);
        seconds(600);
        assertThat(lease.isHeld()).isTrue();
        assertThat(store.isHeld(KEY)).isTrue();
        assertThat(store.renewals).hasSizeBetween(55, 80);
    }

    @Test
    void renewsAllLeasesOfTheProcessInOneCall() {
        List<Lease> held = IntStream.range(0, 200)
                .mapToObj(i -> hold(LockKey.of("many/" + i)))
                .toList();
        seconds(60);
        assertThat(held).allMatch(Lease::isHeld);
        // 200 leases, 6 rounds: at worst a few stragglers of the first round make calls of their own.
        assertThat(store.renewals.size()).isLessThan(20);
        assertThat(store.renewals.stream().mapToInt(List::size).max()).hasValue(200);
    }

    @Test
    void renewsAllKeysOfALeaseOfSeveral() {
        Lease both =
                locks.tryAcquireAll(List.of(KEY, OTHER), locks.defaultOptions()).orElseThrow();
        seconds(100);
        assertThat(both.isHeld()).isTrue();
        assertThat(store.isHeld(KEY) && store.isHeld(OTHER)).isTrue();
    }

    @Test
    void losesALeaseOfSeveralKeysIfOneOfThemIsLost() {
        Lease both =
                locks.tryAcquireAll(List.of(KEY, OTHER), locks.defaultOptions()).orElseThrow();
        locks.evict(OTHER, locks.find(OTHER).orElseThrow().token(), "ops", "test");
        seconds(11);
        assertThat(both.isHeld()).isFalse();
    }

    @Test
    void triesAgainSoonAfterAFailureAndHeals() {
        Lease lease = hold(KEY);
        store.renewing.fail();
        seconds(16);
        assertThat(store.renewals).as("first try and a retry").hasSizeGreaterThanOrEqualTo(2);
        store.renewing.heal();
        seconds(120);
        assertThat(lease.isHeld()).isTrue();
        assertThat(store.isHeld(KEY)).isTrue();
    }

    @Test
    void anErrorInOneRenewalDoesNotEndRenewing() {
        Lease lease = hold(KEY);
        store.renewing.before = () -> {
            store.renewing.heal();
            throw new NoClassDefFoundError("a driver's class");
        };
        passUntilRenewal();
        eventually(() -> lease.remaining().compareTo(Duration.ofSeconds(23)) > 0);
        seconds(60);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void anErrorInALoneRenewalDoesNotEndRenewing() {
        Lease open = hold(KEY);
        Lease plain = hold(OTHER);
        store.leftOpen = KEY::equals;
        store.renewing.before = () -> {
            if (store.renewals.get(store.renewals.size() - 1).size() == 1) {
                store.renewing.heal();
                throw new NoClassDefFoundError("a driver's class");
            }
        };
        passUntilRenewal();
        eventually(() -> {
            // Slowly, because the retry is planned by another thread.
            seconds(0.01);
            return open.remaining().compareTo(Duration.ofSeconds(23)) > 0;
        });
        assertThat(open.isHeld()).isTrue();
        assertThat(plain.isHeld()).isTrue();
    }

    @Test
    void renewsAtOnceAfterTheMachineSlept() {
        Lease lease = hold(KEY);
        seconds(1);
        time.sleepMachine(Duration.ofSeconds(20));
        seconds(2);
        assertThat(store.renewals).hasSize(1);
        seconds(60);
        assertThat(lease.isHeld()).isTrue();
    }

    @Test
    void renewsAloneWhatABatchLeavesOpen() {
        Lease open = hold(KEY);
        Lease plain = hold(OTHER);
        store.leftOpen = KEY::equals;
        eventuallyAsTimePasses(() -> store.renewals.stream()
                .anyMatch(
                        batch -> batch.stream().map(RenewRequest::key).toList().equals(List.of(KEY))));
        for (int i = 0; i < 60; i++) {
            int rounds = store.renewals.size();
            seconds(1);
            if (store.renewals.size() > rounds) {
                eventually(() -> open.remaining().compareTo(Duration.ofSeconds(23)) > 0);
            }
        }
        assertThat(open.isHeld()).isTrue();
        assertThat(plain.isHeld()).isTrue();
    }

    @Test
    void aLoneRenewalDoesNotWaitBehindAcquires() throws Exception {
        CountDownLatch underWay = new CountDownLatch(1);
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        Lease open = hold(KEY);
        Lease plain = hold(OTHER);
        // Twenty acquires whose rows another client keeps locked: made together they fail, made alone they hang.
        store.acquiring.before = () -> {
            if (store.acquires.get(store.acquires.size() - 1).size() > 1) {
                throw new IllegalStateException("a batch");
            }
            underWay.countDown();
            join(first);
            if (store.acquires.size() > 3) {
                join(never);
            }
        };
        locks.tryAcquireAsync(List.of(LockKey.of("slow/0")), locks.defaultOptions());
        assertThat(underWay.await(5, TimeUnit.SECONDS)).isTrue();
        for (int i = 1; i <= 20; i++) {
            locks.tryAcquireAsync(List.of(LockKey.of("slow/" + i)), locks.defaultOptions());
        }
        first.countDown();
        eventually(() -> store.acquires.size() >= 20);
        store.leftOpen = KEY::equals;
        passUntilRenewal();
        eventually(() -> open.remaining().compareTo(Duration.ofSeconds(23)) > 0);
        never.countDown();
        assertThat(open.isHeld() && plain.isHeld()).isTrue();
    }

    @Test
    void aRenewalThatHangsHoldsUpNoOther() {
        time.onOwnThread(TimeInHand.RENEWALS);
        CountDownLatch mayGo = new CountDownLatch(1);
        store.renewing.before = () -> {
            if (store.renewals.size() == 1) {
                join(mayGo);
            }
        };
        Lease stuck = hold(KEY);
        seconds(12);
        eventually(() -> store.renewals.size() == 1);
        Lease other = hold(OTHER);
        seconds(12);
        eventually(() -> store.renewals.size() == 2 && other.remaining().compareTo(Duration.ofSeconds(23)) > 0);
        seconds(1);
        assertThat(stuck.isHeld()).isFalse();
        assertThat(other.isHeld()).isTrue();
        mayGo.countDown();
    }

    @Test
    void renewsEachAloneIfOneSpoilsTheBatch() {
        keepsTheOthersIfOneFails(new IllegalStateException("a row that cannot be read"));
    }

    @Test
    void findsTheOneTheStoreCannotRenewEvenIfItCallsItselfUnavailable() {
        keepsTheOthersIfOneFails(new StoreUnavailableException("scripted", "cannot write one of the rows"));
    }

    private void keepsTheOthersIfOneFails(RuntimeException failure) {
        Lease spoiled = hold(KEY);
        Lease plain = hold(OTHER);
        store.renewing.before = () -> {
            List<RenewRequest> last = store.renewals.get(store.renewals.size() - 1);
            if (last.stream().anyMatch(request -> request.key().equals(KEY))) {
                throw failure;
            }
        };
        for (int i = 0; i < 24; i++) {
            seconds(1);
        }
        eventuallyAsTimePasses(() -> !spoiled.isHeld());
        assertThat(plain.isHeld()).isTrue();
    }

    @Test
    void doesNotRenewWhatWasReleasedWhileTheRenewalWasUnderWay() throws Exception {
        time.onOwnThread("interlock-renewal");
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        Lease lease = hold(KEY);
        List<LossCause> told = new ArrayList<>();
        lease.onLost(told::add);
        store.renewing.after = () -> {
            asked.countDown();
            join(answer);
        };
        seconds(12);
        assertThat(asked.await(5, TimeUnit.SECONDS)).isTrue();
        assertThat(lease.release()).isEqualTo(Release.RELEASED);
        answer.countDown();
        seconds(120);
        assertThat(store.renewals).hasSize(1);
        assertThat(told).isEmpty();
        assertThat(lease.isHeld()).isFalse();
    }

    @Test
    void aRenewalAnsweredAfterTheLossDoesNotBringTheLeaseBack() throws Exception {
        time.onOwnThread("interlock-renewal");
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        Lease lease = hold(KEY);
        store.renewing.after = () -> {
            asked.countDown();
            join(answer);
            answered.countDown();
        };
        seconds(12);
        assertThat(asked.await(5, TimeUnit.SECONDS)).isTrue();
        CompletableFuture<LossCause> told = new CompletableFuture<>();
        lease.onLost(told::complete);
        seconds(13);
        assertThat(told.get(5, TimeUnit.SECONDS)).isEqualTo(LossCause.UNCONFIRMED);
        answer.countDown();
        assertThat(answered.await(5, TimeUnit.SECONDS)).isTrue();
        seconds(60);
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.remaining()).isZero();
        assertThat(store.renewals).hasSize(1);
    }

    @Test
    void aRenewalAnsweredTooLateDoesNotHideALossNobodyHadNoticed() {
        Lease lease = hold(KEY);
        // Sent in time, but the machine sleeps over the answer until the lease is past its old deadline.
        store.renewing.after = () -> time.sleepMachine(Duration.ofSeconds(18));
        while (store.renewals.isEmpty()) {
            seconds(0.1);
        }
        store.renewing.heal();
        assertThat(lease.isHeld()).isFalse();
    }

    private void passUntilRenewal() {
        while (store.renewals.isEmpty()) {
            seconds(0.1);
        }
    }

    static void join(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
    }
}
