package io.interlock.engine.internal.submit;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.IdempotencyMismatchException;
import io.interlock.engine.Submission;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.internal.runtime.EngineSignals;
import io.interlock.engine.internal.runtime.EventPublisher;
import io.interlock.engine.internal.worker.ActiveRuns;
import io.interlock.engine.internal.worker.HeldRun;
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

    private final EngineSettings settings;
    private final ActiveRuns activeRuns;
    private final CallerTurns turns;
    private final OpenRunLimit limit;
    private final RefusalListener refusals;
    private final EventPublisher events;
    private final EngineSignals signals;

    public SubmitOutcomes(
            EngineSettings settings,
            ActiveRuns activeRuns,
            CallerTurns turns,
            OpenRunLimit limit,
            RefusalListener refusals,
            EventPublisher events,
            EngineSignals signals) {
        this.settings = settings;
        this.activeRuns = activeRuns;
        this.turns = turns;
        this.limit = limit;
        this.refusals = refusals;
        this.events = events;
        this.signals = signals;
    }

    Submission of(SubmitRequests.Prepared ask, SubmitAnswer answer, Moment before) {
        if (answer instanceof SubmitAnswer.Started || answer instanceof SubmitAnswer.Queued) {
            limit.added(ask.request());
        }
        if (answer instanceof SubmitAnswer.Started started) {
            return started(ask, started, before);
        }
        if (answer instanceof SubmitAnswer.Queued queued) {
            return queued(ask, queued);
        }
        if (answer instanceof SubmitAnswer.Joined joined) {
            events.tell(new EngineEvent.RunJoined(joined.run()));
            count(ask, RefusalCount.Outcome.JOINED, joined.run().id().toString());
            return new Submission.Joined(joined.run());
        }
        if (answer instanceof SubmitAnswer.Duplicate duplicate) {
            events.tell(new EngineEvent.RunRepeated(duplicate.run()));
            count(ask, RefusalCount.Outcome.DUPLICATE, duplicate.run().id().toString());
            return new Submission.Duplicate(duplicate.run());
        }
        if (answer instanceof SubmitAnswer.Mismatch mismatch) {
            throw new IdempotencyMismatchException(ask.wanted().idempotencyKey().orElse(""), mismatch.run());
        }
        return refused(ask, ((SubmitAnswer.Refused) answer).refusal());
    }

    private Submission started(SubmitRequests.Prepared ask, SubmitAnswer.Started started, Moment before) {
        Run run = started.run();
        events.tell(new EngineEvent.RunSubmitted(run));
        if (started.lease() == null) {
            signals.workAppeared();
            return new Submission.Started(run, null, null);
        }
        if (ask.remote()) {
            events.tell(new EngineEvent.RunStarted(run));
            return new Submission.Started(run, started.lease(), null);
        }
        HeldRun held = activeRuns.adopt(run, started.lease(), settings.job(run.job()), before);
        return new Submission.Started(run, started.lease(), turns.work(held));
    }

    private Submission queued(SubmitRequests.Prepared ask, SubmitAnswer.Queued queued) {
        Run run = queued.run();
        events.tell(new EngineEvent.RunSubmitted(run));
        if (run.spec().policy() != ConflictPolicy.QUEUE) {
            count(ask, RefusalCount.Outcome.REPLACED, run.id().toString());
        }
        SubmitRequest.Caller caller = ask.request().caller();
        if (run.spec().policy() == ConflictPolicy.REPLACE) {
            // If the incumbent is ours, it need not wait for its next heartbeat to hear of it.
            activeRuns.hurry(run.key());
        }
        if (caller == null || ask.remote() || run.state().isTerminal()) {
            return new Submission.Queued(run, queued.position(), null);
        }
        return new Submission.Queued(run, queued.position(), turns.turn(run, caller));
    }

    private Submission refused(SubmitRequests.Prepared ask, Refusal refusal) {
        boolean skipped =
                ask.request().spec().policy() == ConflictPolicy.SKIP && !(refusal instanceof RunRefusal.WrongState);
        events.tell(new EngineEvent.SubmissionRefused(
                ask.wanted().key(), ask.wanted().job().value(), skipped, refusal));
        count(ask, skipped ? RefusalCount.Outcome.SKIPPED : RefusalCount.Outcome.REJECTED, refusal.explanation());
        return skipped ? new Submission.Skipped(refusal) : new Submission.Rejected(refusal);
    }

    private void count(SubmitRequests.Prepared ask, RefusalCount.Outcome outcome, String last) {
        refusals.refused(ask.wanted().key(), ask.request().spec().policy(), outcome, last);
    }
}
