package io.interlock.tck;

import io.interlock.LockKey;
import java.time.Duration;

/** The base of every part of the contract about runs. {@link RunStoreContract} combines the parts. */
interface RunContract {

    /** The fixture of the current test. */
    RunBench bench();

    /** The client of most tests. */
    default RunClient client() {
        return bench().client();
    }

    /** Advances the store's time. */
    default void advance(Duration time) {
        bench().harness().advance(time);
    }

    /** A key of the default tenant of tests. */
    default LockKey key(String name) {
        return Bench.key(name);
    }
}
