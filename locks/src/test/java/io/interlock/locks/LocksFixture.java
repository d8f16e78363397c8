package io.interlock.locks;

import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** Locks on a scripted store, with time in hand. */
@Timeout(30)
abstract class LocksFixture {

    static final LockKey KEY = LockKey.of("ledger/4711");
    static final LockKey OTHER = LockKey.of("ledger/4712");
    static final Duration TTL = Duration.ofSeconds(30);

    final TimeInHand time = new TimeInHand();
    final ScriptedStore store = new ScriptedStore(time.clock());
    Locks locks = builder().build();

    LocksBuilder builder() {
        return new LocksBuilder(store)
                .environment(time)
                .pollEvery(Duration.ofSeconds(1))
                .drainTime(Duration.ZERO);
    }

    @AfterEach
    void closeLocks() {
        store.acquiring.heal();
        store.releasing.heal();
        locks.close();
    }

    Lease hold(LockKey key) {
        return locks.tryAcquire(key).orElseThrow();
    }

    void seconds(double seconds) {
        time.advance(Duration.ofMillis(Math.round(seconds * 1000)));
    }

    /** Waits for what other threads do. */
    static void eventually(Callable<Boolean> condition) {
        await().pollInterval(1, TimeUnit.MILLISECONDS)
                .atMost(10, TimeUnit.SECONDS)
                .until(condition);
    }

    /** Waits for what other threads do while time passes. */
    void eventuallyAsTimePasses(Callable<Boolean> condition) {
        eventually(() -> {
            seconds(0.1);
            return condition.call();
        });
    }
}
