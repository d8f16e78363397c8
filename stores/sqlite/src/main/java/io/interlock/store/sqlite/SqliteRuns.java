package io.interlock.store.sqlite;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreCapabilities;
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
import io.interlock.run.RunPage;
import io.interlock.run.RunQuery;
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

/** The half of {@link SqliteStore} that is about runs. */
abstract class SqliteRuns extends SqliteLeases implements RunStore {

    SqliteRuns(Lanes lanes, DataVersionFeed feed, StoreCapabilities capabilities) {
        super(lanes, feed, capabilities);
    }

    @Override
    public Answers<SubmitAnswer> submit(List<SubmitRequest> requests) {
        requests.forEach(request -> request.spec().terms().within(capabilities().maxLease()));
        return Answers.of(lanes.lookThenWriteEach(requests, (step, request) -> new RunSteps(step).submit(request)));
    }

    @Override
    public List<Claimed> claim(ClaimRequest request) {
        return List.copyOf(lanes.lookThenWrite(step -> new ManyRooms(step).claim(request)));
    }

    @Override
    public Answers<TurnAnswer> takeTurn(List<TurnRequest> requests) {
        return Answers.of(lanes.renewEach(requests, (step, request) -> new RunSteps(step).takeTurn(request)));
    }

    @Override
    public Answers<BeatAnswer> beat(List<BeatRequest> requests) {
        return Answers.of(lanes.renewEach(requests, (step, request) -> new RunSteps(step).beat(request)));
    }

    @Override
    public Answers<FinishAnswer> finish(List<FinishRequest> requests) {
        List<FinishAnswer> answers = lanes.writeEach(requests, (step, request) -> new RunSteps(step).finish(request));
        feed.wake(requests.stream().map(FinishRequest::key).toList());
        return Answers.of(answers);
    }

    @Override
    public CancelAnswer cancel(CancelRequest request) {
        CancelAnswer answer = lanes.lookThenWrite(step -> new RunSteps(step).cancel(request));
        if (answer instanceof CancelAnswer.Cancelled cancelled) {
            feed.wake(List.of(cancelled.run().key()));
        }
        return answer;
    }

    @Override
    public Pause pause(PauseRequest request) {
        return lanes.write(step -> new ManyRooms(step).pause(request));
    }

    @Override
    public boolean resume(ResumeRequest request) {
        return lanes.lookThenWrite(step -> new ManyRooms(step).resume(request));
    }

    @Override
    public List<SweepAction> sweepRuns(int limit) {
        List<SweepAction> done = lanes.lookThenWrite(step -> new ManyRooms(step).settle(null, limit));
        feed.wake(done.stream().map(SweepAction::key).toList());
        return List.copyOf(done);
    }

    @Override
    public Optional<Run> findRun(RunId id) {
        return lanes.look(step -> Optional.ofNullable(new RunTable(step.session()).find(id)));
    }

    @Override
    public List<Run> queue(LockKey key) {
        return lanes.look(step -> new RunSteps(step).queue(key));
    }

    @Override
    public Optional<Wait> explain(RunId id) {
        return lanes.look(step -> new RunSteps(step).explain(id));
    }

    @Override
    public List<Attempt> attempts(RunId id) {
        return lanes.look(step -> List.copyOf(new AttemptTable(step.session()).of(id)));
    }

    @Override
    public Optional<Resource> resource(LockKey key) {
        return lanes.look(step ->
                Optional.ofNullable(new RoomTable(step.session()).find(key)).map(RoomRow::resource));
    }

    @Override
    public ResourceAnswer setResource(ResourceRequest request) {
        return lanes.lookThenWrite(step -> new RunSteps(step).setResource(request));
    }

    @Override
    public RunPage listRuns(RunQuery query) {
        return lanes.look(step -> RunPage.of(new RunTable(step.session()).list(query), query.limit()));
    }

    @Override
    public List<AuditRecord> audit(LockKey key) {
        return lanes.look(step -> List.copyOf(new AuditTable(step.session()).of(key)));
    }
}
