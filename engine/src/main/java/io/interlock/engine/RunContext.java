package io.interlock.engine;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.run.Run;
import io.interlock.run.StopRequest;
import java.time.Duration;
import java.util.Optional;

/** What work knows of its run, and how it reports. Safe for use by many threads. */
public interface RunContext {

    /** The run as it was when this attempt began: id, key, parameters, attempt number. */
    Run run();

    /** What the run is exclusive under. */
    default LockKey key() {
        return run().key();
    }

    /** Proof of turn: carry it into every write. */
    FencingToken token();

    /** Which attempt this is, from 1. */
    default int attempt() {
        return run().status().attempts();
    }

    /** How long the lease may be relied upon by the local clock unless a heartbeat is confirmed; zero once it is over. */
    Duration remaining();

    /** Says which part of the work begins now. Returns at once; the store hears of it soon. */
    void stage(String name);

    /** Says how far the work is. Returns at once; the store hears of it soon. */
    void progress(long done, long total);

    /**
     * Keeps the end of what the work has to say, for people; older text than the run's output tail holds is dropped. The store
     * hears of it every few seconds, and when the attempt has ended.
     */
    void output(String text);

    /**
     * Goes on only if the work may go on.
     *
     * @throws RunStoppedException if the lease was lost, the time is over, or somebody wants the work to stop
     */
    void checkpoint();

    /** Why the work must stop, or empty if it may go on. */
    Optional<StopRequest> stopping();

    /**
     * Runs {@code task} once, as soon as the work must stop, at once if it already must. For work that an interrupt does not
     * reach, such as a child process.
     */
    void onStop(Runnable task);

    /** How long work that was told to stop may take to do so before its lease is left to end. */
    Duration grace();
}
