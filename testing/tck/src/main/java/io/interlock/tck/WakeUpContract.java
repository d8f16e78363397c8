package io.interlock.tck;

import static io.interlock.tck.ContractRequests.TTL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.LeaseRecord;
import io.interlock.spi.ChangeFeed;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** The change feed. Wake-ups are hints, so a test tries a few times before it fails. */
interface WakeUpContract extends Contract {

    @Test
    default void aReleaseWakesWhoWaitsInAnotherClient() throws Exception {
        wakes(lease -> client().released(lease));
    }

    /** The client that is woken first may have gone, or want the key no longer. */
    @Test
    default void aReleaseWakesAllWhoWaitIfTheFirstDoesNotTakeTheKey() throws Exception {
        assumeTrue(bench().capabilities().wakeUps(), "this store sends no wake-ups");
        Client first = bench().anotherClient();
        Client second = bench().anotherClient();
        Semaphore heard = new Semaphore(0);
        try (ChangeFeed.Subscription open = second.store().changes().watch(key("awaited"), heard::release)) {
            assertThat(open).isNotNull();
            releaseUntil(heard, second, lease -> {
                first.refusal(ContractRequests.forKey(key("awaited")).waiting());
                client().released(lease);
            });
            LeaseRecord lease = client().take(ContractRequests.forKey(key("awaited")));
            first.refusal(ContractRequests.forKey(key("awaited")).waiting());
            second.refusal(ContractRequests.forKey(key("awaited")).waiting());
            heard.drainPermits();
            client().released(lease);
            assertThat(heard.tryAcquire(5, TimeUnit.SECONDS)).as("woken").isTrue();
        }
    }

    @Test
    default void whoWaitsForAKeyThatBeginsLikeThisOneIsWokenInPlaceOfNoOther() throws Exception {
        Client other = bench().anotherClient();
        try (ChangeFeed.Subscription open = other.store().changes().watch(key("awaited/part"), () -> {})) {
            assertThat(open).isNotNull();
            other.find(key("awaited/part"));
            wakes(lease -> client().released(lease));
        }
    }

    @Test
    default void theStopOfAnEvictedHolderWakesWhoWaits() throws Exception {
        wakes(lease -> {
            client().evicted(lease);
            client().release(lease);
        });
    }

    @Test
    default void theLateStopOfAnExpiredHolderWakesWhoWaits() throws Exception {
        wakes(lease -> {
            bench().advancePast(TTL);
            client().release(lease);
        });
    }

    @Test
    default void whoNoLongerListensIsLeftAlone() throws Exception {
        assumeTrue(bench().capabilities().wakeUps(), "this store sends no wake-ups");
        Client waiter = bench().anotherClient();
        Semaphore silent = new Semaphore(0);
        Semaphore heard = new Semaphore(0);
        ChangeFeed.Subscription closed = waiter.store().changes().watch(key("awaited"), silent::release);
        closed.close();
        closed.close();
        try (ChangeFeed.Subscription open = waiter.store().changes().watch(key("awaited"), heard::release)) {
            assertThat(open).isNotNull();
            releaseUntil(heard, waiter, lease -> client().released(lease));
        }
        assertThat(silent.availablePermits()).isZero();
    }

    private void wakes(Consumer<LeaseRecord> ending) throws Exception {
        assumeTrue(bench().capabilities().wakeUps(), "this store sends no wake-ups");
        Client waiter = bench().anotherClient();
        Semaphore heard = new Semaphore(0);
        try (ChangeFeed.Subscription open = waiter.store().changes().watch(key("awaited"), heard::release)) {
            assertThat(open).isNotNull();
            releaseUntil(heard, waiter, ending);
        }
    }

    private void releaseUntil(Semaphore heard, Client waiter, Consumer<LeaseRecord> ending) throws Exception {
        boolean woken = false;
        for (int attempt = 0; attempt < 4 && !woken; attempt++) {
            LeaseRecord lease = client().take(ContractRequests.forKey(key("awaited")));
            waiter.refusal(ContractRequests.forKey(key("awaited")).waiting());
            heard.drainPermits();
            ending.accept(lease);
            woken = heard.tryAcquire(2, TimeUnit.SECONDS);
        }
        assertThat(woken).as("woken within 2 s by one of 4 releases").isTrue();
    }
}
