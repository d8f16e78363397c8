package io.interlock.spi;

import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a store says to an {@link AcquireRequest}. */
public sealed interface AcquireAnswer {

    /**
     * All keys are granted, in their order.
     *
     * @param grants one for each key
     */
    record Granted(List<Grant> grants) implements AcquireAnswer {
        /** Copies the list. */
        public Granted {
            grants = List.copyOf(grants);
        }
    }

    /**
     * Nothing is granted, and nothing was written.
     *
     * @param refusal why, for the first key that stood in the way
     */
    record Refused(Refusal refusal) implements AcquireAnswer {}

    /**
     * One key's lease.
     *
     * @param lease what was granted
     * @param takenOver the lease that had ended by itself and made room, if that is how the key was free
     */
    record Grant(LeaseRecord lease, @Nullable LeaseRecord takenOver) {

        /** The lease that had ended by itself and made room. */
        public Optional<LeaseRecord> predecessor() {
            return Optional.ofNullable(takenOver);
        }
    }
}
