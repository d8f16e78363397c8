package io.interlock;

/** What happens to the newcomer when an incumbent has the key. */
public enum ConflictPolicy {
    /** The newcomer gets an error that names the incumbent. */
    REJECT,
    /** The newcomer does not run, and that is no error. */
    SKIP,
    /** The newcomer gets the incumbent's run. */
    JOIN,
    /** The newcomer waits in line. */
    QUEUE,
    /** The newcomer waits in line, in place of whoever of its job waited there. */
    QUEUE_LATEST,
    /** The incumbent is asked to stop; the newcomer runs once it has. */
    REPLACE
}
