package io.interlock.engine.internal.submit;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.IdempotencyMismatchException;
import io.interlock.engine.Submission;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.worker.ActiveRuns;
import io.interlock.run.RefusalCount;
import io.interlock.run.Run;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.time.Moment;

/** Says what the store's answer to a submission means: takes in what was granted, tells listeners, counts. Safe for use by many threads. */
public final class SubmitOutcomes {

    /** Told of submissions that started nothing new. */
    @FunctionalInterface
    public interface RefusalListener {

        /** A submission under {@code key} had {@code outcome}; {@code last} says what its caller was told. */
        void refused(LockKey key, ConflictPolicy policy, RefusalCount.Outcome outcome, String last);
    }

    private final ActiveRuns activeRuns;
    private final CallerTurns turns;
    private final OpenRunLimit limit;
    private final RefusalListener refusals;
    private final EngineEvents events;

    public SubmitOutcomes(
            ActiveRuns activeRuns,
            CallerTurns turns,
            OpenRunLimit limit,
            RefusalListener refusals,
            EngineEvents events) {
        this.activeRuns = activeRuns;
        this.turns = turns;
        this.limit = limit;
        this.refusals = refusals;
        this.events = events;
    }

    Submission of(SubmitRequests.Prepared prepared, SubmitAnswer answer, Moment before) {
        if (answer instanceof SubmitAnswer.Started || answer instanceof SubmitAnswer.Queued) {
            limit.added(prepared.request());
        }
        if (answer instanceof SubmitAnswer.Started started) {
            return started(prepared, started, before);
        }
        if (answer instanceof SubmitAnswer.Queued queued) {
            return queued(prepared, queued);
        }
        if (answer instanceof SubmitAnswer.Joined joined) {
            events.tell(new EngineEvent.RunJoined(joined.run()));
            count(prepared, RefusalCount.Outcome.JOINED, joined.run().id().toString());
            return new Submission.Joined(joined.run());
        }
        if (answer instanceof SubmitAnswer.Duplicate duplicate) {
            events.tell(new EngineEvent.RunRepeated(duplicate.run()));
            count(prepared, RefusalCount.Outcome.DUPLICATE, duplicate.run().id().toString());
            return new Submission.Duplicate(duplicate.run());
        }
        if (answer instanceof SubmitAnswer.Mismatch mismatch) {
            throw new IdempotencyMismatchException(
                    prepared.wanted().idempotencyKey().orElse(""), mismatch.run());
        }
        return refused(prepared, ((SubmitAnswer.Refused) answer).refusal());
    }

    private Submission started(SubmitRequests.Prepared prepared, SubmitAnswer.Started started, Moment before) {
        Run run = started.run();
        events.tell(new EngineEvent.RunSubmitted(run));
        if (started.lease() == null) {
            events.workAppeared();
            return new Submission.Started(run, null, null);
        }
        if (prepared.remote()) {
            events.tell(new EngineEvent.RunStarted(run));
            return new Submission.Started(run, started.lease(), null);
        }
        return new Submission.Started(run, started.lease(), turns.adopt(run, started.lease(), before));
    }

    private Submission queued(SubmitRequests.Prepared prepared, SubmitAnswer.Queued queued) {
        Run run = queued.run();
        events.tell(new EngineEvent.RunSubmitted(run));
        if (run.spec().policy() != ConflictPolicy.QUEUE) {
            count(prepared, RefusalCount.Outcome.REPLACED, run.id().toString());
        }
        SubmitRequest.Caller caller = prepared.request().caller();
        if (run.spec().policy() == ConflictPolicy.REPLACE) {
            // If the incumbent is held here, its next heartbeat comes at once and brings the request to stop.
            activeRuns.hurry(run.key());
        }
        if (caller == null || prepared.remote() || run.state().isTerminal()) {
            return new Submission.Queued(run, queued.position(), null);
        }
        return new Submission.Queued(run, queued.position(), turns.turn(run, caller));
    }

    private Submission refused(SubmitRequests.Prepared prepared, Refusal refusal) {
        boolean skipped = prepared.request().spec().policy() == ConflictPolicy.SKIP
                && !(refusal instanceof RunRefusal.WrongState);
        events.tell(new EngineEvent.SubmissionRefused(
                prepared.wanted().key(), prepared.wanted().job().value(), skipped, refusal));
        count(prepared, skipped ? RefusalCount.Outcome.SKIPPED : RefusalCount.Outcome.REJECTED, refusal.explanation());
        return skipped ? new Submission.Skipped(refusal) : new Submission.Rejected(refusal);
    }

    private void count(SubmitRequests.Prepared prepared, RefusalCount.Outcome outcome, String last) {
        refusals.refused(prepared.wanted().key(), prepared.request().spec().policy(), outcome, last);
    }
}
