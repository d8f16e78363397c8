package io.interlock.engine;

import io.interlock.LeaseLostException;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * A run whose work its caller does. The engine sends its heartbeats until it is finished; if the lease is lost, or the work is asked
 * to stop, {@link #onStop} and {@link #checkpoint} say so. Safe for use by many threads.
 *
 * <pre>{@code
 * try (CallerRun work = started.work()) {
 *     work.stage("load");
 *     ledger.append(entry, work.token());
 *     work.finish(new Ending.Succeeded(null));
 * }
 * }</pre>
 */
public interface CallerRun extends WorkContext, AutoCloseable {

    /** Reports how far the work is. Returns at once; the store is told soon. */
    void progress(long done, @Nullable Long total);

    /**
     * Says that the work has stopped, and how it ended. Said again in the same words, it answers the same.
     *
     * @return the run, ended, or queued again for another attempt
     * @throws LeaseLostException if the lease was lost, so the ending does not count
     * @throws StoreUnavailableException if the store did not answer; it is told again in the background for as long as the
     *     lease lives
     */
    Run finish(Ending ending);

    /** Like {@link #finish}, without waiting. */
    CompletionStage<Run> finishAsync(Ending ending);

    /** The place in the queue for the next attempt, if this one left the run in the queue. */
    Optional<CallerTurn> nextTurn();

    /** Ends the run as failed with code {@code UNFINISHED}, unless it was finished before. May be called twice. */
    @Override
    void close();
}
