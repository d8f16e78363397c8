package io.interlock.run;

/** Who does the work of a run. */
public enum Execution {
    /** A worker that claims it once it has the key. */
    WORKER,
    /** Whoever submitted it, and takes its turn itself. */
    CALLER
}
