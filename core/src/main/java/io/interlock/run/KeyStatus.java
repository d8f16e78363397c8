package io.interlock.run;

/** How a key stands. */
public enum KeyStatus {
    /** Somebody has it. */
    HELD,
    /** Its lease has ended without being given back, or its work takes longer than it may. */
    OVERDUE,
    /** Nobody has it, and somebody waits: for a worker, a pause or its turn. */
    WAITING,
    /** Nobody has it, and nobody gets it. */
    PAUSED,
    /** Nobody has it. */
    FREE
}
