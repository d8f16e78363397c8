package io.interlock.benchmark.peer;

/** All ways to have work done, by the names that processes call them by. */
public enum RunPeers {
    /** Interlock. */
    INTERLOCK,
    /** db-scheduler. */
    DB_SCHEDULER,
    /** JobRunr. */
    JOBRUNR;

    /** The peer itself. */
    public RunPeer peer() {
        return switch (this) {
            case INTERLOCK -> new InterlockRuns();
            case DB_SCHEDULER -> new DbSchedulerRuns();
            case JOBRUNR -> new JobRunrRuns();
        };
    }

    /** What tables call it. */
    public String title() {
        return peer().title();
    }
}
