package io.interlock;

import java.util.Locale;

/** What happens to the newcomer when an incumbent has the key. */
public enum ConflictPolicy {
    /** The newcomer gets an error that names the incumbent. */
    REJECT,
    /** The newcomer does not run, which is not an error. */
    SKIP,
    /** The newcomer gets the incumbent's run. */
    JOIN,
    /** The newcomer waits in the queue of its key. */
    QUEUE,
    /** The newcomer waits in the queue and replaces waiting runs of its job. */
    QUEUE_LATEST,
    /** The incumbent gets a stop request; the newcomer runs once it has stopped. */
    REPLACE;

    /** The name in configuration and on the command line, such as {@code queue-latest}. */
    public String word() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Whether the newcomer may replace other runs. */
    public boolean supersedes() {
        return this == QUEUE_LATEST || this == REPLACE;
    }

    /** Whether the newcomer creates no run while an incumbent has the key. */
    public boolean yieldsToIncumbent() {
        return this == REJECT || this == SKIP || this == JOIN;
    }
}
