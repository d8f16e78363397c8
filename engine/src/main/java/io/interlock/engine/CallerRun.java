package io.interlock.engine;

import io.interlock.LeaseLostException;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
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

    /**
     * A caller's place in the queue. It counts only while the caller waits: one that says nothing for a quarter of a minute is
     * taken for gone, and its run is aborted. Safe for use by many threads.
     */
    interface CallerTurn extends AutoCloseable {

        Run run();

        /**
         * Waits for the turn, for as long as the run's max wait allows.
         *
         * @throws StoreUnavailableException if the max wait is over and the store cannot be asked what became of the run
         * @throws InterruptedException if the thread was interrupted; the caller still has its place, and a turn that comes now
         *     is kept for it, if it waits again within a quarter of a minute
         * @throws IllegalStateException if the engine is closed meanwhile
         */
        Outcome take() throws InterruptedException;

        /** Like {@link #take}, without a thread. */
        CompletionStage<Outcome> takeAsync();

        /**
         * Leaves the queue: the run is cancelled, also if its turn has come and was not taken. Work that was handed over by
         * {@link #take} or by a stage of {@link #takeAsync} goes on. May be called twice.
         */
        @Override
        void close();

        sealed interface Outcome {

            /** Its turn has come. */
            record Granted(CallerRun work) implements Outcome {}

            /** There is nothing to wait for any more. */
            record Over(Run run) implements Outcome {}
        }
    }

    /**
     * Where callers that wait in a queue take their turns: all that such a wait asks of a store, or of a server in front of one. Safe for
     * use by many threads.
     */
    interface TurnSource {

        /** Takes the turn if it has come, without waiting for it. Also shows that the caller still waits. */
        CompletionStage<TurnAnswer> take(TurnRequest request);

        /** Calls {@code look} when the turn may have come. May block for a moment. */
        ChangeFeed.Subscription watch(TurnRequest request, Runnable look);

        /** Takes a run out of the queue whose caller has left. May block. */
        void cancel(CancelRequest request);

        /** Which store or server, for messages, without secrets. */
        String name();
    }
}
