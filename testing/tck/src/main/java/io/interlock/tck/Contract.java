package io.interlock.tck;

import io.interlock.LockKey;
import java.time.Duration;

/** The base of every part of the contract. {@link LeaseStoreContract} combines the parts. */
interface Contract {

    /** The fixture of the current test. */
    Bench bench();

    /** The client of tests that need only one. */
    default Client client() {
        return bench().client();
    }

    /** Advances the store's time. */
    default void advance(Duration time) {
        bench().advance(time);
    }

    /** A key of the default tenant of tests. */
    default LockKey key(String name) {
        return Bench.key(name);
    }
}
