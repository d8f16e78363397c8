package io.interlock.run;

/** The kind of process that executes a run. */
public enum Execution {
    /** A worker claims it once it has the key. */
    WORKER,
    /** The caller that submitted it executes it. */
    CALLER
}
