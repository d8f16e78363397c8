package io.interlock.spi;

import io.interlock.LeaseRecord;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answer of a store to a {@link ReleaseRequest}. In every case the sender no longer has the key. */
public sealed interface ReleaseAnswer {

    /** The answer to the release of a lease that the store had, as it was at its end. */
    static ReleaseAnswer of(LeaseRecord ended) {
        return ended.isLive() ? new Released(ended) : new Lapsed(ended);
    }

    /** The lease was held until now. */
    record Released(LeaseRecord ended) implements ReleaseAnswer {}

    /**
     * The lease had expired or was evicted, and the key had no new holder. Because the release means that the work has
     * stopped, the key becomes free without waiting for lock delay or old expiry.
     */
    record Lapsed(LeaseRecord ended) implements ReleaseAnswer {}

    /**
     * The store does not have this lease, or no longer; nothing was changed. This is also the answer to a repeated
     * release.
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
