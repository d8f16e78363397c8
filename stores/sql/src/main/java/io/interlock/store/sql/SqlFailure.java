package io.interlock.store.sql;

/** What an error of the driver means for the step that met it. */
public enum SqlFailure {
    /** Rolled back because of other steps; the same step may succeed now. */
    CONFLICT,
    /** A row with the same key is there already; rolled back. */
    DUPLICATE,
    /** The connection or the server went away. The step may have taken effect; the same ids may be sent again. */
    BROKEN,
    /** Repeating the step will not help. */
    FINAL
}
