package io.interlock.engine;

import io.interlock.FencingToken;
import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.run.Run;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.time.Environment.Timers.Scheduled;
import java.time.Duration;
import java.util.Optional;

/** What work knows of its run, whether a handler or its caller does it. Safe for use by many threads. */
public interface WorkContext {

    /** The run as it was when this attempt began: id, key, parameters, attempt number. */
    Run run();

    /** What the run is exclusive under. */
    default LockKey key() {
        return run().key();
    }

    /** The W3C {@code traceparent} for what the work calls; that of the submission, unless the work is traced itself. */
    default Optional<String> traceparent() {
        return Optional.ofNullable(run().spec().origin().trace());
    }

    /** The fencing token: carry it into every write. */
    FencingToken token();

    /** How long the lease may be relied upon by the local clock unless a heartbeat is confirmed; zero once it is over. */
    Duration remaining();

    /** Reports which part of the work begins now. Returns at once; the store is told soon. */
    void stage(String name);

    /**
     * Goes on only if the work may go on.
     *
     * @throws RunStoppedException if the lease was lost, the time is over, or the work was asked to stop
     */
    void checkpoint();

    /** Why the work must stop, or empty if it may go on. */
    Optional<StopRequest> stopping();

    /**
     * Runs {@code task} once, as soon as the work must stop, at once if it already must. For work that an interrupt does not
     * reach, such as a child process. Cancelling what this returns takes it back.
     */
    Scheduled onStop(Runnable task);

    /** The work stopped because it had to. Not a failure: it is never tried again because of this. */
    final class RunStoppedException extends InterlockException {

        private static final long serialVersionUID = 1L;

        private final transient StopRequest stop;

        public RunStoppedException(StopRequest stop) {
            super(stop.reason());
            this.stop = stop;
        }

        public StopRequest stop() {
            return stop;
        }
    }
}
