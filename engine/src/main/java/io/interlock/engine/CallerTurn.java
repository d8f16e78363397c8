package io.interlock.engine;

import io.interlock.StoreUnavailableException;
import io.interlock.run.Run;
import java.util.concurrent.CompletionStage;

/**
 * A caller's place in the queue. It counts only while the caller waits: one that says nothing for a quarter of a minute is
 * taken for gone, and its run is aborted. Safe for use by many threads.
 */
public interface CallerTurn extends AutoCloseable {

    /** The run in the queue. */
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

    /** What came of waiting. */
    sealed interface Outcome {

        /** Its turn has come. */
        record Granted(CallerRun work) implements Outcome {}

        /** There is nothing to wait for any more. */
        record Over(Run run) implements Outcome {}
    }
}
