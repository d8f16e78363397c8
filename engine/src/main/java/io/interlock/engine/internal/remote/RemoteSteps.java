package io.interlock.engine.internal.remote;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.internal.runtime.Batches;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.submit.Submitter;
import io.interlock.engine.internal.wait.LongPolls;
import io.interlock.engine.internal.wait.WaitScheduler;
import io.interlock.engine.internal.worker.Finisher;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.RunStatus.Progress;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.spi.run.WorkSteps;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.spi.run.WorkSteps.HeartbeatRequest;
import io.interlock.spi.run.WorkSteps.OutputNote;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Passes the steps of workers and callers in other processes on. */
public final class RemoteSteps implements RemoteWork {

    private final WorkSteps steps;
    private final WaitScheduler waits;
    private final Batches.Runs batches;
    private final Submitter submitter;
    private final Finisher finisher;
    private final EngineEvents events;
    private final @Nullable RemoteWorkers workers;
    private final LongPolls<Wanted, List<Claimed>> claims;
    private final LongPolls<TurnRequest, TurnAnswer> turns;

    /** What some workers wait for together. */
    private record Wanted(@Nullable String tenant, Set<JobName> jobs) {}

    /**
     * Steps on a store.
     *
     * @param changes its wake-ups about keys
     * @param workers notes the workers, or {@code null} if they are not noted
     */
    public RemoteSteps(
            WorkSteps steps,
            ChangeFeed changes,
            WaitScheduler waits,
            Batches.Runs batches,
            Submitter submitter,
            Finisher finisher,
            EngineEvents events,
            @Nullable RemoteWorkers workers) {
        this.steps = steps;
        this.waits = waits;
        this.batches = batches;
        this.submitter = submitter;
        this.finisher = finisher;
        this.events = events;
        this.workers = workers;
        this.claims = new LongPolls<>(
                waits, claimed -> !claimed.isEmpty(), (wanted, none, look) -> steps.watchWork(wanted.tenant(), look));
        this.turns = new LongPolls<>(
                waits,
                answer -> !(answer instanceof TurnAnswer.Waiting),
                (turn, waiting, look) -> changes.watch(turn.key(), look));
    }

    @Override
    public CompletionStage<Submission> submit(RunRequest request, Caller caller) {
        return submitter.submitAsync(request, caller);
    }

    @Override
    public CompletionStage<TurnAnswer> takeTurn(RunId run, LockKey key, Caller caller, Duration wait) {
        waits.requireOpen();
        TurnRequest request = new TurnRequest(run, key, new SubmitRequest.Caller(caller.lease(), caller.holder()));
        CompletableFuture<TurnAnswer> result =
                turns.within(request, wait, () -> batches.turns().submit(request));
        CompletionStage<TurnAnswer> answered = result;
        answered.thenAccept(this::started);
        return result;
    }

    @Override
    public CompletionStage<List<Claimed>> claim(Claim claim, Duration wait) {
        waits.requireOpen();
        ClaimRequest request = new ClaimRequest(claim.id(), claim.worker(), claim.tenant(), claim.jobs(), claim.max());
        if (workers != null) {
            workers.asks(request);
        }
        CompletableFuture<List<Claimed>> result = claims.within(
                new Wanted(claim.tenant(), claim.jobs()), wait, () -> waits.call(() -> steps.claim(request)));
        CompletionStage<List<Claimed>> answered = result;
        answered.thenAccept(claimed -> claimed.forEach(each -> events.tell(new EngineEvent.RunStarted(each.run()))));
        return result;
    }

    @Override
    public CompletionStage<HeartbeatAnswer> heartbeat(
            Proof proof, @Nullable String stage, @Nullable Progress progress) {
        HeartbeatRequest request =
                new HeartbeatRequest(proof.run(), proof.key(), proof.lease(), proof.token(), stage, progress);
        return batches.work().heartbeats().submit(request);
    }

    @Override
    public CompletionStage<Boolean> keepOutput(Proof proof, String text) {
        OutputNote note = new OutputNote(proof.run(), proof.key(), proof.lease(), proof.token(), text);
        return waits.call(() -> steps.keepOutput(note));
    }

    @Override
    public CompletionStage<FinishAnswer> finish(Proof proof, Ending ending) {
        FinishRequest request = new FinishRequest(proof.run(), proof.key(), proof.lease(), proof.token(), ending);
        return finisher.finishElsewhere(request);
    }

    private void started(TurnAnswer answer) {
        if (answer instanceof TurnAnswer.Granted granted) {
            events.tell(new EngineEvent.RunStarted(granted.run()));
        }
    }
}
