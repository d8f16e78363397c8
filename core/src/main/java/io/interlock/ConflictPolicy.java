package io.interlock;

import java.util.Locale;

/** What happens to the newcomer when an incumbent has the key. */
public enum ConflictPolicy {
    /** The newcomer gets an error that names the incumbent. */
    REJECT,
    /** The newcomer does not run, and that is no error. */
    SKIP,
    /** The newcomer gets the incumbent's run. */
    JOIN,
    /** The newcomer waits in the queue of its key. */
    QUEUE,
    /** The newcomer waits in the queue, in place of the runs of its job that waited there. */
    QUEUE_LATEST,
    /** The incumbent is asked to stop; the newcomer runs once it has. */
    REPLACE;

    /** As configuration and command lines write it: {@code queue-latest}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether the newcomer may take the place of other runs. */
    public boolean supersedes() {
        return this == QUEUE_LATEST || this == REPLACE;
    }

    /** Whether the newcomer starts no run of its own while an incumbent has the key. */
    public boolean yieldsToIncumbent() {
        return this == REJECT || this == SKIP || this == JOIN;
    }
}
