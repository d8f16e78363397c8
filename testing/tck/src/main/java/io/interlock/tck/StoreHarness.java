package io.interlock.tck;

import io.interlock.spi.LeaseStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Written by the author of a store to run the contract against it. One harness serves a whole test class;
 * {@link #reset()} is called before each test.
 */
public interface StoreHarness extends AutoCloseable {

    /** A client with its own connections, like another process. The contract closes it. */
    LeaseStore open(Environment environment);

    /** Advances the store's time: every lease, delay and quiet period comes closer to its end by {@code time}. */
    void advance(Duration time);

    /**
     * Sets the clock back that the store reads.
     *
     * @return whether this store reads a clock that can be set back
     */
    default boolean setClockBack(Duration by) {
        return false;
    }

    /** Deletes everything: no leases, no quiet period, as in a new store. Open clients stay usable. */
    void reset();

    /** The URL by which another process opens this store; empty if its reach is one process. */
    default Optional<String> url() {
        return Optional.empty();
    }

    /**
     * Kills the store without warning and starts it again with what it had acknowledged; for an embedded store,
     * simulates the death of the process.
     *
     * @return whether this store can do so
     */
    default boolean crash() {
        return false;
    }

    /**
     * Loses all data, in the worst way possible for this kind of store.
     *
     * @return whether this store can do so
     */
    default boolean loseData() {
        return false;
    }

    /** The number of writes so far, if the store can count them; used to show that a refusal writes nothing. */
    default OptionalLong writes() {
        return OptionalLong.empty();
    }

    /**
     * Whether {@code steps} write nothing, or the store cannot count writes. The count may still include a wake-up that an earlier
     * step sent, so the steps are made several times; steps that write do so every time.
     */
    default boolean writesNothing(Runnable steps) {
        for (int i = 0; i < 5; i++) {
            OptionalLong before = writes();
            steps.run();
            if (writes().equals(before)) {
                return true;
            }
        }
        return false;
    }

    /** Stops the store. */
    @Override
    void close();
}
