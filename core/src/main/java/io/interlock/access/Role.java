package io.interlock.access;

/** The rights of a caller. Each role includes those before it. */
public enum Role {
    /** May read. */
    READ,
    /** May start and cancel runs. */
    TRIGGER,
    /** May claim runs, hold leases and report. */
    WORKER,
    /** May evict, pause, settle dead letters and read the audit log. */
    OPERATOR,
    /** May manage API keys and read the configuration. */
    ADMIN;

    public boolean includes(Role needed) {
        return compareTo(needed) >= 0;
    }
}
