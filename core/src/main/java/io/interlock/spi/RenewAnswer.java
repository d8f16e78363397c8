package io.interlock.spi;

import io.interlock.LeaseRecord;
import io.interlock.LossCause;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answer of a store to a {@link RenewRequest}. */
public sealed interface RenewAnswer {

    /** The lease is renewed. */
    record Renewed(LeaseRecord lease) implements RenewAnswer {}

    /**
     * The lease is lost, and nothing was changed.
     *
     * @param current the lease the store has for the key now, if any
     */
    record Lost(LossCause cause, @Nullable LeaseRecord current) implements RenewAnswer {

        /** The lease the store has for the key now. */
        public Optional<LeaseRecord> successor() {
            return Optional.ofNullable(current);
        }
    }
}
