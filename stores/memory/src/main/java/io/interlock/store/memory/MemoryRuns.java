package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt;
import io.interlock.run.AuditRecord;
import io.interlock.run.CancelAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.FinishAnswer;
import io.interlock.run.HeartbeatAnswer;
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
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.HeartbeatRequest;
import io.interlock.spi.run.PauseRequest;
import io.interlock.spi.run.ResourceRequest;
import io.interlock.spi.run.ResumeRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import io.interlock.time.Environment;
import java.util.List;
import java.util.Optional;

/** A client's view of the runs of a store in memory. Thread-safe; steps about runs wait for each other. */
abstract class MemoryRuns extends MemoryLeases implements RunStore {

    private final RunSteps runs;

    MemoryRuns(Environment environment, RunSteps runs) {
        super(environment, runs.table());
        this.runs = runs;
    }

    RunSteps runs() {
        return runs;
    }

    @Override
    public Answers<SubmitAnswer> submit(List<SubmitRequest> requests) {
        requests.forEach(request -> request.spec().terms().within(runs.table().maxLease()));
        return answer(requests, request -> {
            SubmitAnswer answer = runs.submit(request);
            if (request.spec().policy().supersedes()) {
                wake(request.key());
            }
            return answer;
        });
    }

    @Override
    public List<Claimed> claim(ClaimRequest request) {
        requireOpen();
        return runs.claim(request);
    }

    @Override
    public Answers<TurnAnswer> takeTurn(List<TurnRequest> requests) {
        requireOpen();
        return Answers.of(runs.takeTurns(requests));
    }

    @Override
    public Answers<HeartbeatAnswer> heartbeat(List<HeartbeatRequest> requests) {
        return answer(requests, runs::heartbeat);
    }

    @Override
    public Answers<FinishAnswer> finish(List<FinishRequest> requests) {
        return answer(requests, request -> {
            FinishAnswer answer = runs.finish(request);
            wake(request.key());
            return answer;
        });
    }

    @Override
    public CancelAnswer cancel(CancelRequest request) {
        requireOpen();
        CancelAnswer answer = runs.cancel(request);
        if (answer instanceof CancelAnswer.Cancelled cancelled) {
            wake(cancelled.run().key());
        } else if (answer instanceof CancelAnswer.StopRequested asked) {
            wake(asked.run().key());
        }
        return answer;
    }

    @Override
    public Pause pause(PauseRequest request) {
        requireOpen();
        return runs.pauses().pause(request);
    }

    @Override
    public boolean resume(ResumeRequest request) {
        requireOpen();
        return runs.pauses().resume(request);
    }

    @Override
    public List<SweepAction> sweepRuns(int limit) {
        requireOpen();
        return runs.sweep(limit);
    }

    @Override
    public Optional<Run> findRun(RunId id) {
        requireOpen();
        return runs.find(id);
    }

    @Override
    public List<Run> queue(LockKey key) {
        requireOpen();
        return runs.queue(key);
    }

    @Override
    public Optional<Wait> explain(RunId id) {
        requireOpen();
        return runs.explain(id);
    }

    @Override
    public List<Attempt> attempts(RunId id) {
        requireOpen();
        return runs.attempts(id);
    }

    @Override
    public Optional<Resource> resource(LockKey key) {
        requireOpen();
        return runs.resource(key);
    }

    @Override
    public ResourceAnswer setResource(ResourceRequest request) {
        requireOpen();
        return runs.setResource(request);
    }

    @Override
    public RunPage listRuns(RunQuery query) {
        requireOpen();
        return runs.list(query);
    }

    @Override
    public List<AuditRecord> audit(LockKey key) {
        requireOpen();
        return runs.audit(key);
    }
}
