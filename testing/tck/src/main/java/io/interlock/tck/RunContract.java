package io.interlock.tck;

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

    /** The part of the store the case is about. */
    default <B> B book(Class<B> kind) {
        return kind.cast(client().store());
    }
}
