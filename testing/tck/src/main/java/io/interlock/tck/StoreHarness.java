package io.interlock.tck;

import io.interlock.spi.LeaseStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What the author of a store writes so that the contract can be run against the real thing. One harness serves a whole
 * test class; {@link #reset()} is called before each test.
 */
public interface StoreHarness extends AutoCloseable {

    /** A client with connections of its own, as another process would have. The contract closes it. */
    LeaseStore open(Environment environment);

    /** Makes the store's time go on: every lease, delay and quiet period comes nearer to its end by {@code time}. */
    void advance(Duration time);

    /** Forgets everything: no leases, no quiet period, as on the first day. Clients that are open stay usable. */
    void reset();

    /** The URL by which another process opens this store; empty if its reach is one process. */
    default Optional<String> url() {
        return Optional.empty();
    }

    /**
     * Kills the store without warning and starts it again with what it had acknowledged; for an embedded store, does what
     * the death of the process would do to it.
     *
     * @return whether this store can do so
     */
    default boolean crash() {
        return false;
    }

    /**
     * Loses all data, in the worst way this kind of store may.
     *
     * @return whether this store can do so
     */
    default boolean loseData() {
        return false;
    }

    /** How many changes the store has written so far, if it can tell; shows that a refusal writes nothing. */
    default OptionalLong writes() {
        return OptionalLong.empty();
    }

    /** Stops the store. */
    @Override
    void close();
}
