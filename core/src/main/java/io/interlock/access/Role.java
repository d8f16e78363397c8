package io.interlock.access;

/** What somebody may do. Each role may do all that those before it may. */
public enum Role {
    /** Looks. */
    READ,
    /** Starts and cancels. */
    TRIGGER,
    /** Takes work, holds leases, reports. */
    WORKER,
    /** Evicts, pauses, settles dead letters, reads the audit log. */
    OPERATOR,
    /** Gives and takes keys, sees the configuration. */
    ADMIN;

    /** Whether somebody with this role may do what {@code needed} is needed for. */
    public boolean includes(Role needed) {
        return compareTo(needed) >= 0;
    }
}
