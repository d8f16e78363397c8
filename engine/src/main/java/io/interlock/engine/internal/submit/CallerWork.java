package io.interlock.engine.internal.submit;

import io.interlock.FencingToken;
import io.interlock.LeaseLostException;
import io.interlock.LossCause;
import io.interlock.RunState;
import io.interlock.engine.CallerRun;
import io.interlock.engine.CallerTurn;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.RunStoppedException;
import io.interlock.engine.internal.worker.ActiveRuns;
import io.interlock.engine.internal.worker.Endings;
import io.interlock.engine.internal.worker.Finisher;
import io.interlock.engine.internal.worker.HeldRun;
import io.interlock.run.Ending;
import io.interlock.run.FinishAnswer;
import io.interlock.run.Progress;
import io.interlock.run.Run;
import io.interlock.run.StopRequest;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A run of this process whose work is done by whoever submitted it. */
public final class CallerWork implements CallerRun {

    private static final Logger log = LoggerFactory.getLogger(CallerWork.class);

    private final ActiveRuns activeRuns;
    private final Finisher finisher;
    private final CallerTurns turns;
    private final HeldRun held;
    private volatile @Nullable Run after;

    CallerWork(ActiveRuns activeRuns, Finisher finisher, CallerTurns turns, HeldRun held) {
        this.activeRuns = activeRuns;
        this.finisher = finisher;
        this.turns = turns;
        this.held = held;
    }

    @Override
    public Run run() {
        return held.run();
    }

    @Override
    public FencingToken token() {
        return held.token();
    }

    @Override
    public Duration remaining() {
        return activeRuns.remaining(held);
    }

    @Override
    public void stage(String name) {
        activeRuns.stage(held, name);
    }

    @Override
    public void progress(long done, @Nullable Long total) {
        activeRuns.progress(held, new Progress(done, total));
    }

    @Override
    public void checkpoint() {
        stopping().ifPresent(stop -> {
            throw new RunStoppedException(stop);
        });
    }

    @Override
    public Optional<StopRequest> stopping() {
        return held.stop().raised();
    }

    @Override
    public void onStop(Runnable task) {
        held.stop().onStop(task);
    }

    @Override
    public Run finish(Ending ending) {
        return judged(finisher.finish(held, said(ending)));
    }

    @Override
    public CompletionStage<Run> finishAsync(Ending ending) {
        return finisher.finishAsync(held, said(ending)).thenApply(this::judged);
    }

    @Override
    public Optional<CallerTurn> nextTurn() {
        Run now = after;
        return now == null || now.state() != RunState.QUEUED ? Optional.empty() : Optional.of(turns.turn(now));
    }

    @Override
    public void close() {
        if (held.hasEnded()) {
            return;
        }
        Ending ending = Endings.threw(
                held, new PermanentFailureException("UNFINISHED", "closed without a word on how it ended"));
        try {
            finisher.finish(held, ending);
        } catch (RuntimeException toldAgain) {
            log.warn("the end of run {} is told later: {}", held.run().id(), toldAgain.toString());
        }
    }

    // Once it has ended, the first word counts, and whatever is said again is for the store to compare.
    private Ending said(Ending ending) {
        return held.hasEnded() ? ending : Endings.said(held, ending);
    }

    private Run judged(FinishAnswer answer) {
        LossCause lost = held.lost();
        if (lost == null && answer instanceof FinishAnswer.Finished finished) {
            after = finished.run();
            return finished.run();
        }
        if (lost == null && answer instanceof FinishAnswer.AlreadyFinished before) {
            return before.run();
        }
        throw new LeaseLostException(held.key(), held.token(), lost != null ? lost : LossCause.GONE);
    }
}
