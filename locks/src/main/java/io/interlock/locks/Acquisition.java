package io.interlock.locks;

import io.interlock.Refusal;
import io.interlock.RefusedException;
import java.util.Optional;

/** The answer to asking for a key. */
public sealed interface Acquisition {

    /** The lease, if the key was granted. */
    default Optional<Lease> lease() {
        return this instanceof Granted granted ? Optional.of(granted.granted()) : Optional.empty();
    }

    /**
     * The lease.
     *
     * @throws RefusedException if the key was not granted, saying why
     */
    default Lease orElseThrow() {
        if (this instanceof Refused refused) {
            throw new RefusedException(refused.refusal());
        }
        return ((Granted) this).granted();
    }

    /**
     * The key is ours until the lease is closed or lost.
     *
     * @param granted the live handle; close it
     */
    record Granted(Lease granted) implements Acquisition {}

    /** The key is not ours. */
    record Refused(Refusal refusal) implements Acquisition {}
}
