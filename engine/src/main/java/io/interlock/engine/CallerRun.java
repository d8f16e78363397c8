package io.interlock.engine;

import io.interlock.FencingToken;
import io.interlock.LeaseLostException;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.StopRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A run whose work is done by whoever holds this. The engine sends its heartbeats until it is finished; if the lease is lost,
 * or somebody wants the work to stop, {@link #onStop} and {@link #checkpoint} say so. Safe for use by many threads.
 *
 * <pre>{@code
 * try (CallerRun work = started.work()) {
 *     work.stage("load");
 *     ledger.append(entry, work.token());
 *     work.finish(new Ending.Succeeded(null));
 * }
 * }</pre>
 */
public interface CallerRun extends AutoCloseable {

    /** The run as it was when this attempt began. */
    Run run();

    /** What the run is exclusive under. */
    default LockKey key() {
        return run().key();
    }

    /** Proof of turn: carry it into every write. */
    FencingToken token();

    /** How long the lease may be relied upon by the local clock unless a heartbeat is confirmed; zero once it is over. */
    Duration remaining();

    /** Says which part of the work begins now. Returns at once; the store hears of it soon. */
    void stage(String name);

    /** Says how far the work is. Returns at once; the store hears of it soon. */
    void progress(long done, @Nullable Long total);

    /**
     * Goes on only if the work may go on.
     *
     * @throws RunStoppedException if the lease was lost, the time is over, or somebody wants the work to stop
     */
    void checkpoint();

    /** Why the work must stop, or empty if it may go on. */
    Optional<StopRequest> stopping();

    /** Runs {@code task} once, as soon as the work must stop, at once if it already must. */
    void onStop(Runnable task);

    /**
     * Says that the work has stopped, and how it ended. Said again in the same words, it answers the same.
     *
     * @return the run, ended, or back in line for another attempt
     * @throws LeaseLostException if the lease was lost, so the ending does not count
     * @throws StoreUnavailableException if the store did not answer; it is told again in the background for as long as the
     *     lease lives
     */
    Run finish(Ending ending);

    /** Like {@link #finish}, without waiting. */
    CompletionStage<Run> finishAsync(Ending ending);

    /** The place in line for the next attempt, if the ending of this one left the run in line. */
    Optional<CallerTurn> nextTurn();

    /** Ends the run as failed with code {@code UNFINISHED}, unless it was finished before. May be called twice. */
    @Override
    void close();
}
