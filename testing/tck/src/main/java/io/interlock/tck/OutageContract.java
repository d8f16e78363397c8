package io.interlock.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.locks.Locks;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The store crashes while the lock library is used. */
interface OutageContract extends Contract {

    /** The number of concurrent threads. */
    int CALLERS = 8;

    @Test
    @Tag("locks")
    default void callersOfTheLibraryTakeTurnsThroughACrashAndGoOnAfterIt() throws Exception {
        List<LockKey> keys = List.of(key("outage/0"), key("outage/1"), key("outage/2"));
        KeyContenders turns = new KeyContenders(keys, bench().patience());
        List<Locks> locks = List.of(bench().locks(), bench().locks());
        List<CompletableFuture<Void>> callers = turns.begin(locks, CALLERS);
        try {
            turns.awaitMore(2);
            assumeTrue(bench().harness().crash(), "this store cannot be crashed");
            AcquireAnswer answer =
                    bench().onceAvailable(() -> client().ask(ContractRequests.forKey(key("outage/probe"))));
            if (answer instanceof AcquireAnswer.Refused refused) {
                assertThat(refused.refusal()).isInstanceOf(Refusal.StoreRecovering.class);
                // Nothing is granted now; current holders release before the time advances.
                turns.awaitNobodyInside();
                bench().advancePast(refused.refusal().retryAfter());
            }
            turns.awaitMore(2);
        } finally {
            turns.stop();
        }
        CompletableFuture.allOf(callers.toArray(CompletableFuture[]::new))
                .get(bench().patience().toSeconds(), TimeUnit.SECONDS);
        assertThat(turns.collisions()).as("concurrent holders").isZero();
        assertThat(turns.counted()).as("updates not lost").isEqualTo(turns.taken());
    }
}
