package io.interlock;

import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a store says to an request to take a lease away by force. */
public sealed interface EvictAnswer {

    /**
     * The lease's token no longer counts. The key opens when the victim releases, which says it has stopped, or at
     * {@code opensAt}, whichever comes first.
     *
     * @param victim the lease taken away
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
