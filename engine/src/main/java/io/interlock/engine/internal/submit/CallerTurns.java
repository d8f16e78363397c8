package io.interlock.engine.internal.submit;

import io.interlock.LeaseId;
import io.interlock.LeaseLostException;
import io.interlock.LeaseRecord;
import io.interlock.LossCause;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.CallerRun;
import io.interlock.engine.CallerRun.CallerTurn;
import io.interlock.engine.CallerRun.TurnSource;
import io.interlock.engine.EngineClosedException;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.internal.wait.WaitScheduler;
import io.interlock.engine.internal.worker.ActiveRuns;
import io.interlock.engine.internal.worker.Finisher;
import io.interlock.engine.internal.worker.Finisher.Endings;
import io.interlock.engine.internal.worker.HeldRun;
import io.interlock.engine.internal.worker.HeldRun.HeldRunContext;
import io.interlock.locks.Outcome;
import io.interlock.locks.runtime.Futures;
import io.interlock.locks.runtime.Poller;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.Waiter;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.time.Environment.Timers.Scheduled;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs whose callers do the work: those that wait for their turn, and those that have it. Safe for use by many threads. */
public record CallerTurns(
        EngineSettings.WorkSettings settings,
        WaitScheduler waits,
        TurnSource source,
        ActiveRuns activeRuns,
        Finisher finisher) {

    private static final Logger log = LoggerFactory.getLogger(CallerTurns.class);

    public CallerRun adopt(Run run, LeaseRecord lease, Moment before) {
        return new CallerWork(activeRuns.adopt(run, lease, settings.job(run.job()), before));
    }

    public CallerTurn turn(Run run, LeaseId lease) {
        TurnWait wait = new TurnWait(run, new SubmitRequest.Caller(lease, settings.holder()));
        wait.begin();
        return wait;
    }

    /**
     * A caller that waits for its turn, without a thread: it looks when a wake-up comes and from time to time anyway, which also
     * shows the store that it still waits. One look at a time. A turn that comes when its caller no longer waits is given back,
     * and so is one that was not taken when the caller leaves.
     */
    private final class TurnWait implements CallerTurn {

        private final Run run;
        private final TurnRequest request;
        private final Moment since;
        private final CompletableFuture<Outcome> result = new CompletableFuture<>();
        private final Poller poller;

        // All below is guarded by this.
        private boolean delivered;
        private boolean closed;
        private boolean async;
        private int waiting;
        private @Nullable CallerRun untaken;
        private @Nullable Scheduled gone;
        private Scheduled closing = () -> {};

        TurnWait(Run run, SubmitRequest.Caller caller) {
            this.run = run;
            this.request = new TurnRequest(run.id(), run.key(), caller);
            this.since = waits.now();
            this.poller = new Poller(waits.pace(), this::look);
        }

        void begin() {
            Scheduled untilClose = waits.onClose(this::sendAway);
            synchronized (this) {
                closing = untilClose;
                expectCaller();
            }
        }

        @Override
        public Run run() {
            return run;
        }

        @Override
        public Outcome take() throws InterruptedException {
            arrive();
            try {
                start();
                return taken(result.get());
            } catch (ExecutionException failure) {
                throw Futures.unchecked(failure);
            } finally {
                depart();
            }
        }

        @Override
        public CompletionStage<Outcome> takeAsync() {
            synchronized (this) {
                // From now on, completing is handing over.
                async = true;
                untaken = null;
                stay();
            }
            start();
            return result.minimalCompletionStage();
        }

        @Override
        public void close() {
            leave();
            boolean waited;
            CallerRun work;
            synchronized (this) {
                waited = !closed && !delivered;
                closed = true;
                work = untaken;
                untaken = null;
                stay();
            }
            if (waited) {
                result.cancel(false);
                cancel("its caller no longer waits");
            } else if (work != null) {
                // The caller has not seen it, and is not to see it any more.
                result.obtrudeException(left());
                giveBack(work);
            }
        }

        private void sendAway() {
            if (refuse(new EngineClosedException())) {
                cancel("the engine it waited at was closed");
            }
        }

        private synchronized void arrive() {
            waiting++;
            stay();
        }

        private void stay() {
            if (gone != null) {
                gone.cancel();
                gone = null;
            }
        }

        private synchronized Outcome taken(Outcome outcome) {
            if (closed) {
                throw left();
            }
            untaken = null;
            return outcome;
        }

        // An interrupt ends the waiting, not the place in the queue.
        private synchronized void depart() {
            waiting--;
            expectCaller();
        }

        /** A caller that does not come, or come back, soon has left. */
        private void expectCaller() {
            boolean mayCome = !closed && !async && (!delivered || untaken != null);
            if (waiting == 0 && mayCome) {
                gone = waits.after(Waiter.STALE_AFTER, this::leaveForGood);
            }
        }

        private void leaveForGood() {
            synchronized (this) {
                if (waiting > 0 || async) {
                    return;
                }
            }
            close();
        }

        private CancellationException left() {
            return new CancellationException("this turn was closed; submit the run again to wait for another");
        }

        private void start() {
            try {
                poller.listen(look -> source.watch(request, look));
            } catch (RuntimeException | Error failure) {
                log.warn("no wake-ups for {}, only polls: {}", run.key(), failure.toString());
                poller.look();
            }
        }

        private void look() {
            Moment before = waits.now();
            Futures.begun(() -> source.take(request)).whenComplete((answer, failure) -> {
                try {
                    looked(answer, failure, before);
                } catch (RuntimeException | Error notTold) {
                    // No thread to tell it on, for instance: the caller must be told, or it would wait for ever.
                    leave();
                    result.completeExceptionally(notTold);
                }
            });
        }

        private void looked(@Nullable TurnAnswer answer, @Nullable Throwable failure, Moment before) {
            if (failure != null) {
                // The store decides by its own clock whether we still wait; we find out when it is back, if that is in
                // time.
                if (isOver()) {
                    refuse(away(Futures.cause(failure)));
                    return;
                }
                log.debug("run {} could not ask for its turn, trying again: {}", run.id(), failure.toString());
            } else if (answer instanceof TurnAnswer.Granted granted) {
                granted(granted, before);
                return;
            } else if (answer instanceof TurnAnswer.Over over) {
                settle(new Outcome.Over(over.current().orElse(run)));
                return;
            }
            poller.looked();
        }

        /** By the local clock, which began later than the store's. */
        private boolean isOver() {
            Duration waited = Duration.ofNanos(waits.elapsed(since));
            Duration most = run.spec().limits().maxWait();
            return most != null && waited.compareTo(most) > 0;
        }

        private StoreUnavailableException away(Throwable failure) {
            return new StoreUnavailableException(
                    source.name(),
                    "did not answer until the wait of run " + run.id() + " for " + run.key() + " was over",
                    failure);
        }

        private void granted(TurnAnswer.Granted granted, Moment before) {
            CallerRun work;
            try {
                work = adopt(granted.run(), granted.lease(), before);
            } catch (EngineClosedException engineClosed) {
                refuse(engineClosed);
                return;
            }
            try {
                settle(new Outcome.Granted(work));
            } catch (RuntimeException | Error notTold) {
                giveBack(work);
                throw notTold;
            }
        }

        private void settle(Outcome outcome) {
            leave();
            waits.tell(() -> deliver(outcome));
        }

        private void deliver(Outcome outcome) {
            CallerRun work = outcome instanceof Outcome.Granted granted ? granted.work() : null;
            boolean late;
            synchronized (this) {
                late = closed;
                if (!late) {
                    delivered = true;
                    untaken = async ? null : work;
                }
            }
            if (!late) {
                result.complete(outcome);
            } else if (work != null) {
                giveBack(work);
            }
        }

        /** Tells the caller, on another thread, that its turn will not come. Returns false if its wait was over. */
        private boolean refuse(RuntimeException why) {
            leave();
            synchronized (this) {
                if (closed || delivered) {
                    return false;
                }
                closed = true;
            }
            waits.tell(() -> result.completeExceptionally(why));
            return true;
        }

        private void leave() {
            poller.end();
            synchronized (this) {
                closing.cancel();
            }
        }

        private void giveBack(CallerRun work) {
            RunError error = new RunError(RunError.CANCELLED, "its turn came when its caller no longer waited");
            work.finishAsync(new Ending.Aborted(error)).whenComplete((run, toldAgain) -> {});
        }

        private void cancel(String reason) {
            CancelRequest request =
                    new CancelRequest(run.id(), settings.holder().label(), reason);
            waits.tell(() -> source.cancel(request));
        }
    }

    /** A run of this process whose work its caller does. */
    private final class CallerWork extends HeldRunContext implements CallerRun {

        private volatile @Nullable Run after;

        CallerWork(HeldRun held) {
            super(CallerTurns.this.activeRuns, held);
        }

        @Override
        public void progress(long done, @Nullable Long total) {
            activeRuns.progress(held, new Progress(done, total));
        }

        @Override
        public Run finish(Ending ending) {
            Ending said = said(ending);
            // What the work reported last would otherwise wait for a heartbeat that never comes.
            finisher.sendReport(held);
            return judged(finisher.finish(held, said));
        }

        @Override
        public CompletionStage<Run> finishAsync(Ending ending) {
            return finisher.finishAsync(held, said(ending)).thenApply(this::judged);
        }

        @Override
        public Optional<CallerTurn> nextTurn() {
            Run now = after;
            return now == null || now.state() != RunState.QUEUED
                    ? Optional.empty()
                    : Optional.of(
                            turn(now, LeaseId.random(settings.environment().random())));
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
                log.warn("the result of {} is reported later: {}", held, toldAgain.toString());
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
}
