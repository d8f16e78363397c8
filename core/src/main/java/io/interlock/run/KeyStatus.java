package io.interlock.run;

/** The status of a key. */
public enum KeyStatus {
    /** It has a live lease. */
    HELD,
    /** Its lease expired without a release, or its work exceeds its max runtime. */
    OVERDUE,
    /** It has no holder, and runs wait: for a worker, the end of a pause or their turn. */
    WAITING,
    /** It has no holder, and a pause prevents grants. */
    PAUSED,
    /** It has no holder. */
    FREE
}
