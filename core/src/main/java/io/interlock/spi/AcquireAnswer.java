package io.interlock.spi;

import io.interlock.LeaseRecord;
import io.interlock.Refusal;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The answer of a store to an {@link AcquireRequest}. */
public sealed interface AcquireAnswer {

    /**
     * All keys are granted, in their order.
     *
     * @param grants one for each key
     */
    record Granted(List<Grant> grants) implements AcquireAnswer {
        public Granted {
            grants = List.copyOf(grants);
        }
    }

    /**
     * Nothing is granted, and nothing was written.
     *
     * @param refusal why, for the first key that was not free
     */
    record Refused(Refusal refusal) implements AcquireAnswer {}

    /**
     * The lease of one key.
     *
     * @param takenOver the expired lease that was taken over, if there was one
     */
    record Grant(LeaseRecord lease, @Nullable LeaseRecord takenOver) {

        /** The expired lease that was taken over. */
        public Optional<LeaseRecord> predecessor() {
            return Optional.ofNullable(takenOver);
        }
    }
}
