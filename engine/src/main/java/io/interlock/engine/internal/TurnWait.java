package io.interlock.engine.internal;

import io.interlock.engine.CallerRun;
import io.interlock.engine.CallerTurn;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.TurnAnswer;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.CancelRequest;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;
import io.interlock.time.Moment;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A caller that waits for its turn, without a thread: it looks when a wake-up comes and from time to time anyway, which also
 * shows the store that it still waits. One look at a time. A turn that comes when nobody waits any more is given back.
 */
final class TurnWait implements CallerTurn {

    private static final Logger log = LoggerFactory.getLogger(TurnWait.class);
    private static final double SPREAD = 0.2;

    private final House house;
    private final Run run;
    private final TurnRequest request;
    private final CompletableFuture<Outcome> result = new CompletableFuture<>();
    private boolean started;
    private boolean looking;
    private boolean again;
    private Timers.@Nullable Scheduled poll;
    private ChangeFeed.@Nullable Subscription wakeUps;

    TurnWait(House house, Run run, SubmitRequest.Caller caller) {
        this.house = house;
        this.run = run;
        this.request = new TurnRequest(run.id(), run.key(), caller);
    }

    @Override
    public Run run() {
        return run;
    }

    @Override
    public Outcome take() throws InterruptedException {
        start();
        try {
            return result.get();
        } catch (ExecutionException failure) {
            throw Failures.unchecked(failure);
        }
    }

    @Override
    public CompletionStage<Outcome> takeAsync() {
        start();
        return result.minimalCompletionStage();
    }

    @Override
    public void close() {
        if (end(null)) {
            cancel("whoever waited has left");
        }
    }

    /** The engine closes. */
    void sendAway() {
        if (end(House.closed())) {
            cancel("the engine it waited at was closed");
        }
    }

    private void start() {
        synchronized (this) {
            if (started || result.isDone()) {
                return;
            }
            started = true;
        }
        try {
            ChangeFeed.Subscription heard = house.settings().store().changes().watch(run.key(), this::look);
            synchronized (this) {
                wakeUps = heard;
            }
        } catch (RuntimeException failure) {
            log.warn("no wake-ups for {}, only polls: {}", run.key(), failure.toString());
        }
        look();
    }

    private void look() {
        synchronized (this) {
            if (looking) {
                again = true;
                return;
            }
            if (result.isDone()) {
                return;
            }
            looking = true;
            again = false;
            if (poll != null) {
                poll.cancel();
                poll = null;
            }
        }
        Moment before = house.time().now();
        house.lanes().turns().submit(request).whenComplete((answer, failure) -> looked(answer, failure, before));
    }

    private void looked(@Nullable TurnAnswer answer, @Nullable Throwable failure, Moment before) {
        if (failure != null) {
            // The store decides by its own clock whether we still wait; we find out when it is back.
            log.debug("run {} could not ask for its turn, trying again: {}", run.id(), failure.toString());
        } else if (answer instanceof TurnAnswer.Granted granted) {
            granted(granted, before);
            return;
        } else if (answer instanceof TurnAnswer.Over over) {
            settle(new Outcome.Over(over.current().orElse(run)));
            return;
        }
        boolean more;
        synchronized (this) {
            looking = false;
            more = again;
            if (!more && !result.isDone()) {
                Duration pause = house.time().jittered(house.settings().pollEvery(), SPREAD);
                poll = house.deadlines().after(pause, this::look);
            }
        }
        if (more) {
            look();
        }
    }

    private void granted(TurnAnswer.Granted granted, Moment before) {
        try {
            HeldRun held = house.works()
                    .adopt(granted.run(), granted.lease(), house.turns().job(run.job()), before);
            settle(new Outcome.Granted(new CallerWork(house, held)));
        } catch (IllegalStateException closed) {
            end(closed);
        }
    }

    // Handing over is completing: whoever comes second, here or in end(), has to clear up.
    private void settle(Outcome outcome) {
        leave();
        house.threads().tell(() -> {
            if (!result.complete(outcome) && outcome instanceof Outcome.Granted granted) {
                giveBack(granted.work());
            }
        });
    }

    private boolean end(@Nullable RuntimeException failure) {
        leave();
        return failure == null ? result.cancel(false) : result.completeExceptionally(failure);
    }

    private void leave() {
        ChangeFeed.Subscription heard;
        synchronized (this) {
            heard = wakeUps;
            wakeUps = null;
            if (poll != null) {
                poll.cancel();
                poll = null;
            }
        }
        if (heard != null) {
            heard.close();
        }
        house.turns().forget(this);
    }

    private static void giveBack(CallerRun work) {
        RunError error = new RunError(RunError.CANCELLED, "its turn came when nobody waited for it any more");
        work.finishAsync(new Ending.Aborted(error)).whenComplete((run, toldAgain) -> {});
    }

    private void cancel(String reason) {
        CancelRequest request =
                new CancelRequest(run.id(), house.settings().holder().label(), reason);
        house.threads().tell(() -> house.settings().store().cancel(request));
    }
}
