package io.interlock.engine;

import java.time.Duration;

/** What a handler knows of its run, and how it reports. Safe for use by many threads. */
public interface RunContext extends WorkContext {

    /** Which attempt this is, from 1. */
    default int attempt() {
        return run().status().attempts();
    }

    /** Reports how far the work is. Returns at once; the store is told soon. */
    void progress(long done, long total);

    /**
     * Keeps the end of what the work has to say, for people; older text than the run's output tail holds is dropped. It is sent
     * every few seconds, and when the attempt has ended.
     */
    void output(String text);

    /** How long work that was told to stop may take to do so before its lease is left to end. */
    Duration grace();
}
