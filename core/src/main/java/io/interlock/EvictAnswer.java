package io.interlock;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answer of a store to an eviction. */
public sealed interface EvictAnswer {

    /**
     * The lease's token is invalid. The key becomes free when the evicted holder releases it, which means that its
     * work has stopped, or at {@code opensAt}, whichever comes first.
     *
     * @param opensAt its old end plus its lock delay, by the store's clock
     */
    record Evicted(LeaseRecord victim, Instant opensAt) implements EvictAnswer {}

    /**
     * The key has no lease with the expected token; nothing was changed.
     *
     * @param current the lease it has, if any
     */
    record Mismatch(@Nullable LeaseRecord current) implements EvictAnswer {

        /** The lease the key has now. */
        public Optional<LeaseRecord> holder() {
            return Optional.ofNullable(current);
        }
    }
}
