package io.interlock.engine.internal;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.BeatAnswer;
import io.interlock.run.Claimed;
import io.interlock.run.Ending;
import io.interlock.run.FinishAnswer;
import io.interlock.run.Progress;
import io.interlock.run.TurnAnswer;
import io.interlock.spi.run.BeatRequest;
import io.interlock.spi.run.ClaimRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Passes the steps of workers and callers in other processes on. */
final class RemoteSteps implements RemoteWork {

    private final House house;

    RemoteSteps(House house) {
        this.house = house;
    }

    @Override
    public CompletionStage<Submission> submit(RunRequest request, Caller caller) {
        return house.intake().submitAsync(request, caller);
    }

    @Override
    public CompletionStage<TurnAnswer> takeTurn(RunId run, LockKey key, Caller caller, Duration wait) {
        house.requireOpen();
        TurnRequest request = new TurnRequest(run, key, new SubmitRequest.Caller(caller.lease(), caller.holder()));
        return new LongPoll<TurnAnswer>(
                        house,
                        () -> house.lanes().turns().submit(request),
                        answer -> !(answer instanceof TurnAnswer.Waiting),
                        look -> house.settings().store().changes().watch(key, look))
                .within(wait)
                .thenApply(this::started);
    }

    @Override
    public CompletionStage<List<Claimed>> claim(Claim claim, Duration wait) {
        house.requireOpen();
        ClaimRequest request = new ClaimRequest(claim.id(), claim.worker(), claim.tenant(), claim.jobs(), claim.max());
        return new LongPoll<List<Claimed>>(
                        house,
                        () -> house.called(() -> house.settings().store().claim(request)),
                        claimed -> !claimed.isEmpty(),
                        look -> house.watchWork(claim.tenant(), look))
                .within(wait)
                .thenApply(claimed -> {
                    claimed.forEach(each -> house.events().tell(new EngineEvent.RunStarted(each.run())));
                    return claimed;
                });
    }

    @Override
    public CompletionStage<BeatAnswer> beat(Proof proof, @Nullable String stage, @Nullable Progress progress) {
        BeatRequest request = new BeatRequest(proof.run(), proof.key(), proof.lease(), proof.token(), stage, progress);
        return house.lanes().beats().submit(request);
    }

    @Override
    public CompletionStage<FinishAnswer> finish(Proof proof, Ending ending) {
        FinishRequest request = new FinishRequest(proof.run(), proof.key(), proof.lease(), proof.token(), ending);
        return house.lanes().finishes().submit(request).thenApply(this::ended);
    }

    private TurnAnswer started(TurnAnswer answer) {
        if (answer instanceof TurnAnswer.Granted granted) {
            house.events().tell(new EngineEvent.RunStarted(granted.run()));
        }
        return answer;
    }

    private FinishAnswer ended(FinishAnswer answer) {
        if (answer instanceof FinishAnswer.Finished finished) {
            house.events().tell(new EngineEvent.AttemptEnded(finished.run()));
            house.ends().noticed(finished.run());
        } else if (answer instanceof FinishAnswer.LeaseLost lost) {
            lost.current().ifPresent(run -> house.events().tell(new EngineEvent.LeaseLost(run, lost.cause())));
        }
        house.workers().wake();
        return answer;
    }
}
