package io.interlock.spi.run;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.access.SignIns;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.CancelAnswer;
import io.interlock.run.MoveAnswer;
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
 * Keeps runs and leases in one key space: a run's lock is a lease, so runs and bare leases exclude each other.
 * Everything about a key (lease, queue, resource, attempts, audit records) changes in one atomic step.
 *
 * <p>Expiries and timeouts (an expired lease, a wait that took too long, an offer that was not taken) are settled by
 * the next step on the key; {@link #sweepRuns} does so for idle keys. So a key becomes free without a sweeper.
 *
 * <p>As for {@link LeaseStore}, all methods block, are thread-safe, and may be repeated with the same ids after an
 * unclear answer.
 */
public interface RunStore
        extends LeaseStore,
                WorkSteps,
                DeadLetters,
                AuditLog,
                RunNotes,
                RunViews,
                RunHistory,
                WorkFeed,
                AccessKeys,
                SignIns {

    @Override
    default boolean claimsNext() {
        return true;
    }

    /** Starts, joins, queues or refuses. */
    Answers<SubmitAnswer> submit(List<SubmitRequest> requests);

    /** Grants a waiting caller its turn, if it comes next. */
    Answers<TurnAnswer> takeTurn(List<TurnRequest> requests);

    /** Ends a run that has not started, or requests a started one to stop. */
    CancelAnswer cancel(CancelRequest request);

    /** Moves a waiting run to the front of its queue, by {@link io.interlock.spi.run.rules.MoveRules}. */
    MoveAnswer moveToFront(MoveRequest request);

    /** Stops grants under some keys; from the return of this call on, nothing is granted there. */
    Pause pause(PauseRequest request);

    /**
     * Ends a pause, and lets the first run in the queue of each key start. It returns quickly for any number of keys:
     * it settles the first of them, and the following claims and sweeps settle the others page by page.
     *
     * @return whether there was such a pause that had not ended
     */
    boolean resume(ResumeRequest request);

    /**
     * Settles expiries and timeouts of up to {@code limit} due keys. Any number of processes may sweep at once.
     *
     * @return the actions with their reasons
     */
    List<SweepAction> sweepRuns(int limit);

    /** The run with this id. */
    Optional<Run> findRun(RunId id);

    /** The runs that wait for the key, in the order in which they would start now. */
    List<Run> queue(LockKey key);

    /** Why a run waits; empty if it does not wait or does not exist. */
    Optional<Wait> explain(RunId id);

    /** The ended attempts of a run, in order. */
    List<Attempt> attempts(RunId id);

    /** The resource of a guarded key; empty if it was never changed. */
    Optional<Resource> resource(LockKey key);

    /** Sets the state of a resource, to create or repair it; never while a run owns it. */
    ResourceAnswer setResource(ResourceRequest request);

    /** Runs in the order of submission or in reverse, by pages. */
    RunPage listRuns(RunQuery query);

    /** The audit records of the key, in order. A pause is recorded under its tenant and pattern. */
    List<AuditRecord> audit(LockKey key);
}
