package io.interlock.spi.run;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.CancelAnswer;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunPage;
import io.interlock.run.RunQuery;
import io.interlock.run.SweepAction;
import io.interlock.run.TurnAnswer;
import io.interlock.run.Wait;
import io.interlock.spi.Answers;
import io.interlock.spi.LeaseStore;
import java.util.List;
import java.util.Optional;

/**
 * Keeps runs beside leases, in one key space: a run's lock is a lease, so whoever asks for a bare lease and whoever submits
 * a run exclude each other. Everything about a key (lease, line, resource, attempts, audit records) changes in one atomic
 * step.
 *
 * <p>What time alone brings about (a lease that ran out, a wait that took too long, an offer nobody took) is settled by
 * whatever step touches the key next; {@link #sweepRuns} does so for keys nobody touches. So no sweeper is needed for a key
 * to become free.
 *
 * <p>Otherwise as for {@link LeaseStore}: all methods block, are safe for use by many threads, and may be repeated with the
 * same ids after an unclear answer.
 */
public interface RunStore
        extends LeaseStore, WorkSteps, DeadLetters, AuditLog, RunNotes, RunViews, RunHistory, WorkFeed, AccessKeys {

    /** Starts, joins, queues or refuses. */
    Answers<SubmitAnswer> submit(List<SubmitRequest> requests);

    /** Gives a waiting caller its turn, if it is. */
    Answers<TurnAnswer> takeTurn(List<TurnRequest> requests);

    /** Ends a run that has not started, or asks one that has to stop. */
    CancelAnswer cancel(CancelRequest request);

    /** Stops grants under some keys; from the return of this call on, nothing is granted there. */
    Pause pause(PauseRequest request);

    /**
     * Ends a pause, and lets the first in line of each key have its turn. It returns soon however many keys were paused: the
     * first of them are settled before, the others by the claims and sweeps that follow, a page with each.
     *
     * @return whether there was such a pause, and it had not ended by itself
     */
    boolean resume(ResumeRequest request);

    /**
     * Settles what time has brought about, on up to {@code limit} keys where there is something to settle. Any number of
     * processes may sweep at once.
     *
     * @return what was done, and why
     */
    List<SweepAction> sweepRuns(int limit);

    /** The run called so. */
    Optional<Run> findRun(RunId id);

    /** Who waits for the key, in the order in which they would have their turn now. */
    List<Run> queue(LockKey key);

    /** Why a run waits in line; empty if it does not, or if there is no such run. */
    Optional<Wait> explain(RunId id);

    /** The attempts of a run that are over, the first one first. */
    List<Attempt> attempts(RunId id);

    /** What a guarded key stands for; empty if nobody has touched it. */
    Optional<Resource> resource(LockKey key);

    /** Says where a resource stands, for whoever creates or mends one; never while a run moves it. */
    ResourceAnswer setResource(ResourceRequest request);

    /** Runs in the order in which they were submitted, or the other way round, a page at a time. */
    RunPage listRuns(RunQuery query);

    /**
     * All that was done under the key, in order. Pauses are kept under their tenant and pattern as if that were a key.
     */
    List<AuditRecord> audit(LockKey key);
}
