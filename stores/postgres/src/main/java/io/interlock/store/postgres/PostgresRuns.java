package io.interlock.store.postgres;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.BeatAnswer;
import io.interlock.run.CancelAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.FinishAnswer;
import io.interlock.run.Pause;
import io.interlock.run.Resource;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunPage;
import io.interlock.run.RunQuery;
import io.interlock.run.StopRequest;
import io.interlock.run.SweepAction;
import io.interlock.run.TurnAnswer;
import io.interlock.run.Wait;
import io.interlock.spi.Answers;
import io.interlock.spi.run.BeatRequest;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** The runs of a store in PostgreSQL, each verb one statement. Safe for use by many threads. */
abstract class PostgresRuns extends PostgresBooks implements RunStore {

    /** Runs a step on the lane that no other step keeps waiting. */
    abstract <T> T renewing(Lane.Step<T> step);

    /** Says when to look for runs whose key's row was lost. */
    abstract LostRuns lostRuns();

    /** Wakes whoever waits for one of these. */
    abstract void wake(List<Long> hashes);

    /** Whether anybody in this process is woken by {@code hash}. */
    abstract boolean isHeard(long hash);

    @Override
    public Answers<SubmitAnswer> submit(List<SubmitRequest> requests) {
        requests.forEach(request -> request.spec().terms().within(capabilities().maxLease()));
        if (requests.isEmpty()) {
            return Answers.of(List.of());
        }
        Answers<SubmitAnswer> answers =
                SubmitStep.answers(requests.size(), grantedRuns(SubmitStep.of(calls(), requests)));
        wake(requests.stream()
                .filter(request -> request.spec().policy() == ConflictPolicy.REPLACE)
                .map(request -> KeyHash.of(request.key()))
                .toList());
        return answers;
    }

    @Override
    public List<Claimed> claim(ClaimRequest request) {
        boolean waits = isHeard(WorkHints.hash(request.tenant()));
        return WorkSteps.claimed(grantedRuns(WorkSteps.claim(calls(), request, waits)));
    }

    @Override
    public Answers<TurnAnswer> takeTurn(List<TurnRequest> requests) {
        return requests.isEmpty()
                ? Answers.of(List.of())
                : WorkSteps.turns(requests.size(), grantedRuns(WorkSteps.takeTurn(calls(), requests)));
    }

    @Override
    public Answers<BeatAnswer> beat(List<BeatRequest> requests) {
        return requests.isEmpty()
                ? Answers.of(List.of())
                : WorkSteps.beats(requests.size(), renewing(WorkSteps.beat(calls(), requests)));
    }

    @Override
    public Answers<FinishAnswer> finish(List<FinishRequest> requests) {
        return requests.isEmpty()
                ? Answers.of(List.of())
                : FinishStep.answers(requests.size(), announced(FinishStep.of(calls(), requests)));
    }

    @Override
    public CancelAnswer cancel(CancelRequest request) {
        AtomicInteger attempts = new AtomicInteger();
        RunAnswer row =
                announced(counting(attempts, RunAdmin.cancel(calls(), request))).get(0);
        CancelAnswer answer = RunAdmin.cancelled(row);
        if (attempts.get() > 1 && answer instanceof CancelAnswer.Over over && isDoneBy(request, over.run())) {
            return new CancelAnswer.Cancelled(over.run());
        }
        if (answer instanceof CancelAnswer.StopRequested asked) {
            wake(List.of(KeyHash.of(asked.run().key())));
        }
        return answer;
    }

    @Override
    public Pause pause(PauseRequest request) {
        return ask(RunAdmin.pause(calls(), request));
    }

    @Override
    public boolean resume(ResumeRequest request) {
        AtomicInteger attempts = new AtomicInteger();
        boolean resumed = !announced(counting(attempts, RunAdmin.resume(calls(), request)))
                .isEmpty();
        if (!resumed && attempts.get() > 1) {
            throw unclear(request.pattern() + " was resumed; whether it was paused");
        }
        return resumed;
    }

    @Override
    public List<SweepAction> sweepRuns(int limit) {
        List<RunAdmin.Swept> done = lostRuns().during(lost -> ask(RunAdmin.sweep(calls(), limit, lost)));
        wake(done.stream()
                .filter(RunAdmin.Swept::leavesWaiters)
                .map(swept -> KeyHash.of(swept.action().key()))
                .toList());
        return done.stream().map(RunAdmin.Swept::action).toList();
    }

    @Override
    public Optional<Run> findRun(RunId id) {
        return RunReads.runs(ask(RunReads.find(calls(), id))).stream().findFirst();
    }

    @Override
    public List<Run> queue(LockKey key) {
        return RunReads.runs(ask(RunReads.queue(calls(), key)));
    }

    @Override
    public Optional<Wait> explain(RunId id) {
        return RunReads.explained(ask(RunReads.explain(calls(), id)));
    }

    @Override
    public List<Attempt> attempts(RunId id) {
        return ask(RunReads.attempts(calls(), id));
    }

    @Override
    public Optional<Resource> resource(LockKey key) {
        return ask(RunReads.resource(calls(), key)).stream().findFirst();
    }

    @Override
    public ResourceAnswer setResource(ResourceRequest request) {
        AtomicInteger attempts = new AtomicInteger();
        ResourceAnswer answer = ask(counting(attempts, RunAdmin.setResource(calls(), request)));
        if (attempts.get() > 1 && answer instanceof ResourceAnswer.Mismatch mismatch && isAsWanted(request, mismatch)) {
            throw unclear("the state of " + request.key() + " was set; by whom");
        }
        return answer;
    }

    private static boolean isAsWanted(ResourceRequest request, ResourceAnswer.Mismatch mismatch) {
        return mismatch.current()
                .filter(now -> now.version() == request.expectedVersion() + 1
                        && now.kind().equals(request.kind())
                        && now.state().equals(request.state()))
                .isPresent();
    }

    // In the very words of this request, by a cancellation that met it before it began.
    private static boolean isDoneBy(CancelRequest request, Run run) {
        StopRequest stop = new StopRequest(
                RunError.CANCELLED,
                Texts.shown(request.actor()),
                Texts.shown(request.reason()),
                run.status().since());
        return run.state() == RunState.ABORTED
                && run.status().stop() == null
                && stop.error().equals(run.status().error());
    }

    @Override
    public RunPage listRuns(RunQuery query) {
        return RunReads.page(query, ask(RunReads.list(calls(), query)));
    }

    @Override
    public List<AuditRecord> audit(LockKey key) {
        return ask(RunReads.audit(calls(), key));
    }

    @Override
    void announce(List<RunAnswer> rows) {
        wake(rows.stream()
                .filter(RunAnswer::leavesWaiters)
                .map(row -> KeyHash.of(row.requireKey()))
                .toList());
    }

    private List<RunAnswer> grantedRuns(Lane.Step<List<RunAnswer>> step) {
        return granted(step, row -> row.verdict().equals("reattach"));
    }

    /** Runs a step that may free keys, and wakes whoever waits for one. */
    private List<RunAnswer> announced(Lane.Step<List<RunAnswer>> step) {
        List<RunAnswer> rows = ask(step);
        announce(rows);
        return rows;
    }
}
