package io.interlock.tck;

import io.interlock.LockKey;
import java.time.Duration;

/** What every part of the contract stands on. The parts are mixed together in {@link LeaseStoreContract}. */
interface Contract {

    /** What the test that runs now works with. */
    Bench bench();

    /** The client used where one is enough. */
    default Client client() {
        return bench().client();
    }

    /** Makes the store's time go on. */
    default void advance(Duration time) {
        bench().advance(time);
    }

    /** A key of the tenant most cases use. */
    default LockKey key(String name) {
        return Bench.key(name);
    }
}
