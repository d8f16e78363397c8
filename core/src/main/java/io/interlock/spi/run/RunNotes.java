package io.interlock.spi.run;

import io.interlock.LockKey;
import io.interlock.run.RefusalCount;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.PeriodQuery;
import io.interlock.run.WorkerNote;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Data stored beside runs, for users and for the engine. It has no effect on grants. */
public interface RunNotes {

    /**
     * Stores counts: each is identified by key, process, minute, policy and outcome, and replaces a smaller one. So
     * counts may be sent again after an unclear answer.
     */
    void countRefusals(List<RefusalCount> counts);

    /** The counts of a key in minutes beginning at {@code since} or later, in the order of the minutes. */
    List<RefusalCount> refusals(LockKey key, Instant since);

    /**
     * Adds to the recorded periods: endings and times are summed, and of waiting runs the greatest number stays. A store does not repeat
     * it by itself after an unclear answer. Callers may, because counts that are twice there do less harm than all that were missing.
     */
    void addPeriods(List<RunPeriod> periods);

    /** Recorded periods, ordered by beginning and job. {@link Upkeep#forget} deletes each when its length says so. */
    List<RunPeriod> periods(PeriodQuery query);

    /**
     * Records that a worker is active, by the store's clock, and replaces the last report of its instance. Of a
     * tenant's {@linkplain WorkerNote#isRemote() remote} workers, only the {@link WorkerNote#MOST_REMOTE} most recent
     * stay recorded.
     */
    void noteWorker(WorkerNote worker);

    /**
     * Workers for {@code tenant} that were active within {@code time}, one per instance: up to {@code limit}, the most
     * recent first.
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
