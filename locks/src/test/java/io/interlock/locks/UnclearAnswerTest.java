package io.interlock.locks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.StoreUnavailableException;
import io.interlock.locks.Lease.Release;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class UnclearAnswerTest extends LocksFixture {

    @Test
    void neverTakesSilenceForAGrant() {
        store.acquiring.fail();
        assertThatThrownBy(() -> locks.tryAcquire(KEY)).isInstanceOf(StoreUnavailableException.class);
        assertThatThrownBy(() -> locks.acquire(KEY, Duration.ofSeconds(5)))
                .isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void givesBackAGrantWhoseAnswerWasLost() {
        store.acquiring.loseAnswers();
        assertThatThrownBy(() -> locks.tryAcquireAll(List.of(KEY, OTHER), locks.defaultOptions()))
                .isInstanceOf(StoreUnavailableException.class);
        assertThat(store.isHeld(KEY)).isTrue();
        store.finding.fail();
        store.releasing.fail();
        seconds(2);
        store.finding.heal();
        seconds(2);
        store.releasing.heal();
        seconds(6);
        assertThat(store.isHeld(KEY) || store.isHeld(OTHER)).isFalse();
    }

    @Test
    void givesBackAGrantThatTookLongerThanItLasts() {
        store.acquiring.before = () -> seconds(35);
        assertThatThrownBy(() -> locks.tryAcquire(KEY))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("too late");
        assertThat(store.isHeld(KEY)).isTrue();
        seconds(1);
        assertThat(store.isHeld(KEY)).isFalse();
    }

    @Test
    void leavesTheLeaseOfSomebodyElseAlone() {
        store.acquiring.fail();
        assertThatThrownBy(() -> locks.tryAcquire(KEY)).isInstanceOf(StoreUnavailableException.class);
        store.acquiring.heal();
        Lease lease = hold(KEY);
        seconds(40);
        assertThat(lease.isHeld()).isTrue();
        assertThat(store.releases).isEmpty();
    }

    @Test
    void stopsLookingOnceTheLeaseMustBeOver() {
        store.acquiring.fail();
        assertThatThrownBy(() -> locks.tryAcquire(KEY)).isInstanceOf(StoreUnavailableException.class);
        seconds(37);
        int[] finds = {0};
        store.finding.before = () -> finds[0]++;
        seconds(60);
        assertThat(finds[0]).isZero();
    }

    @Test
    void aReleaseTheStoreDidNotAnswerIsTriedAgain() {
        Lease lease = hold(KEY);
        store.releasing.fail();
        assertThatThrownBy(lease::release).isInstanceOf(StoreUnavailableException.class);
        assertThat(lease.isHeld()).isFalse();
        assertThat(lease.release()).isEqualTo(Release.WAS_RELEASED);
        seconds(3);
        store.releasing.heal();
        seconds(6);
        assertThat(store.current(KEY)).isNull();
    }

    @Test
    void aReleaseThatIsLeftOpenBesideOthersIsMadeAlone() {
        Lease lease =
                locks.tryAcquireAll(List.of(KEY, OTHER), locks.defaultOptions()).orElseThrow();
        store.leftOpen = key -> true;
        store.releasing.fail();
        lease.close();
        store.releasing.heal();
        seconds(6);
        assertThat(store.isHeld(KEY) || store.isHeld(OTHER)).isFalse();
    }

    @Test
    void aReleaseThatTookEffectBeforeItsAnswerWasLostIsNoLoss() {
        Lease lease = hold(KEY);
        store.release(List.of(new ReleaseRequest(KEY, lease.id(), lease.token())));
        assertThat(lease.release()).isEqualTo(Release.RELEASED);
    }

    @Test
    void closingOnADeadStoreThrowsNothing() {
        Lease lease = hold(KEY);
        store.releasing.fail();
        lease.close();
        seconds(1);
        store.releasing.heal();
        seconds(6);
        assertThat(store.current(KEY)).isNull();
    }

    @Test
    void anAsynchronousReleaseTellsAboutADeadStoreAndTriesAgain() {
        Lease lease = hold(KEY);
        store.releasing.fail();
        CompletableFuture<Release> release = lease.releaseAsync().toCompletableFuture();
        assertThatThrownBy(() -> release.get(5, TimeUnit.SECONDS)).hasCauseInstanceOf(StoreUnavailableException.class);
        store.releasing.heal();
        seconds(6);
        assertThat(store.current(KEY)).isNull();
    }

    @Test
    void sweepsFromTimeToTime() {
        Locks crashed = builder().build();
        crashed.tryAcquire(KEY).orElseThrow();
        crashed.close();
        seconds(80);
        assertThat(store.sweeps).isPositive();
        assertThat(store.current(KEY)).isNull();
        int before = store.sweeps;
        seconds(300);
        assertThat(store.sweeps - before).isBetween(4, 6);
    }
}
