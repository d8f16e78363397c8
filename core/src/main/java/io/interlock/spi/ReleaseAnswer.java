package io.interlock.spi;

import io.interlock.LeaseRecord;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a store says to a {@link ReleaseRequest}. In every case the asker no longer has the key. */
public sealed interface ReleaseAnswer {

    /**
     * It was held until now.
     *
     * @param ended the lease as it was
     */
    record Released(LeaseRecord ended) implements ReleaseAnswer {}

    /**
     * It had already ended by expiry or force, and nobody had taken the key. Now that its holder says the work has
     * stopped, the key opens without waiting for lock delay or old expiry.
     *
     * @param ended the lease as it was
     */
    record Lapsed(LeaseRecord ended) implements ReleaseAnswer {}

    /**
     * The store does not know this lease, or not any more; nothing was changed. Also the answer to a release repeated.
     *
     * @param current the lease the store has for the key now, if any
     */
    record Gone(@Nullable LeaseRecord current) implements ReleaseAnswer {

        /** The lease the store has for the key now. */
        public Optional<LeaseRecord> successor() {
            return Optional.ofNullable(current);
        }
    }
}
