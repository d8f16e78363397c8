package io.interlock.run;

import io.interlock.LeaseRecord;

/**
 * A claimed run.
 *
 * @param more whether further runs waited for the key when it was claimed
 */
public record Claimed(Run run, LeaseRecord lease, boolean more) {

    /** A run of a key for which no other is known to wait. */
    public Claimed(Run run, LeaseRecord lease) {
        this(run, lease, false);
    }
}
