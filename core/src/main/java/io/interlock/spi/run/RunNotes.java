package io.interlock.spi.run;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.RefusalCount;
import io.interlock.run.WorkerNote;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What is kept beside runs for people and for the engine's own use. None of it decides who has a key. */
public interface RunNotes extends OutputNotes {

    /** The end of what a run had to say, if it said anything. */
    Optional<String> output(RunId run);

    /**
     * Keeps counts: each stands for its key, process, minute, policy and outcome, and takes the place of a smaller one. So
     * counts may be sent again after an unclear answer.
     */
    void countRefusals(List<RefusalCount> counts);

    /** What was counted under a key in minutes beginning at {@code since} or later, in the order of the minutes. */
    List<RefusalCount> refusals(LockKey key, Instant since);

    /**
     * A worker is there; the store's clock says when, and what its instance said before no longer counts. Of a tenant's
     * {@linkplain WorkerNote#isRemote() remote} workers, no more than the {@link WorkerNote#MOST_REMOTE} that were there last
     * stay noted.
     */
    void noteWorker(WorkerNote worker);

    /**
     * Workers that take runs of {@code tenant} and were there within {@code time}, those with the same instance once: up to
     * {@code limit}, those that were there last first.
     */
    List<WorkerNote> workers(String tenant, Duration time, int limit);

    /** A number kept under a name; 0 if there is none. */
    long bookmark(String name);

    /**
     * Changes the number kept under a name.
     *
     * @return whether it was {@code expected}, and was changed
     */
    boolean moveBookmark(String name, long expected, long value);
}
