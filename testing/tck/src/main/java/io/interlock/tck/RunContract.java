package io.interlock.tck;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.LockKey;
import java.time.Duration;

/** What every part of the contract about runs stands on. The parts are mixed together in {@link RunStoreContract}. */
interface RunContract {

    /** What the test that runs now works with. */
    RunBench bench();

    /** The client most cases use. */
    default RunClient client() {
        return bench().client();
    }

    /** Makes the store's time go on. */
    default void advance(Duration time) {
        bench().harness().advance(time);
    }

    /** A key of the tenant most cases use. */
    default LockKey key(String name) {
        return Bench.key(name);
    }

    /** What the store keeps beside its runs, if it keeps that already; the case is skipped if not. */
    default <B> B book(Class<B> kind) {
        assumeTrue(kind.isInstance(client().store()), "this store does not implement " + kind.getSimpleName() + " yet");
        return kind.cast(client().store());
    }
}
