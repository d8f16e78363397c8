package io.interlock.locks;

import io.interlock.Refusal;
import io.interlock.RefusedException;
import java.util.Optional;

/** The answer to asking for a key. */
public sealed interface Acquisition {

    /** The lease, if the key was granted. */
    Optional<Lease> lease();

    /**
     * The lease.
     *
     * @throws RefusedException if the key was not granted, saying why
     */
    Lease orElseThrow();

    /**
     * The key is ours until the lease is closed or lost.
     *
     * @param granted the live handle; close it
     */
    record Granted(Lease granted) implements Acquisition {
        @Override
        public Optional<Lease> lease() {
            return Optional.of(granted);
        }

        @Override
        public Lease orElseThrow() {
            return granted;
        }
    }

    /** The key is not ours. */
    record Refused(Refusal refusal) implements Acquisition {
        @Override
        public Optional<Lease> lease() {
            return Optional.empty();
        }

        @Override
        public Lease orElseThrow() {
            throw new RefusedException(refusal);
        }
    }
}
