package io.interlock.engine.internal.worker;

import io.interlock.LossCause;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.internal.runtime.EngineSignals;
import io.interlock.engine.internal.runtime.EngineTimers;
import io.interlock.engine.internal.runtime.EventPublisher;
import io.interlock.engine.internal.runtime.FutureFailures;
import io.interlock.run.Ending;
import io.interlock.run.FinishAnswer;
import io.interlock.run.RunError;
import io.interlock.spi.run.FinishRequest;
import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the store how attempts ended. One it did not hear is told again, in the same words, until the lease must be over;
 * heartbeats go on meanwhile, so that the ending still counts when the store is back in time.
 */
public final class Finisher {

    static final String UNTELLABLE = "UNTELLABLE";

    private static final Logger log = LoggerFactory.getLogger(Finisher.class);
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
    private static final Duration LONGEST_PAUSE = Duration.ofSeconds(5);
    private static final double SPREAD = 0.2;

    private final WorkBatches batches;
    private final ActiveRuns activeRuns;
    private final EventPublisher events;
    private final EngineTimers timers;
    private final EngineSignals signals;

    Finisher(
            WorkBatches batches,
            ActiveRuns activeRuns,
            EventPublisher events,
            EngineTimers timers,
            EngineSignals signals) {
        this.batches = batches;
        this.activeRuns = activeRuns;
        this.events = events;
        this.timers = timers;
        this.signals = signals;
    }

    /** The work of {@code held} has stopped, and this is how. Throws if the store did not answer; it is told again then. */
    public FinishAnswer finish(HeldRun held, Ending ending) {
        FinishRequest request = ended(held, ending);
        try {
            FinishAnswer answer = batches.finishes().call(request);
            settled(held, answer);
            return answer;
        } catch (RuntimeException | Error failure) {
            again(held, request, FIRST_PAUSE, failure);
            throw failure;
        }
    }

    /** Like {@link #finish}, without waiting. */
    public CompletionStage<FinishAnswer> finishAsync(HeldRun held, Ending ending) {
        FinishRequest request = ended(held, ending);
        return batches.finishes().submit(request).whenComplete((answer, failure) -> {
            if (failure == null) {
                settled(held, answer);
            } else {
                again(held, request, FIRST_PAUSE, failure);
            }
        });
    }

    private FinishRequest ended(HeldRun held, Ending ending) {
        activeRuns.ended(held);
        return held.finishRequest(ending);
    }

    private void settled(HeldRun held, FinishAnswer answer) {
        if (!activeRuns.dismiss(held)) {
            return;
        }
        if (answer instanceof FinishAnswer.Finished finished) {
            log.debug(
                    "run {} under {} is {}",
                    held.run().id(),
                    held.key(),
                    finished.run().state());
            events.tell(new EngineEvent.AttemptEnded(finished.run()));
            signals.ended(finished.run());
        } else if (answer instanceof FinishAnswer.LeaseLost lost) {
            reportLoss(held, lost.cause());
            lost.current().ifPresent(signals::ended);
        } else if (answer instanceof FinishAnswer.AlreadyFinished before) {
            log.warn(
                    "run {} under {} was finished before in another way: {}",
                    held.run().id(),
                    held.key(),
                    before.run().state());
            signals.ended(before.run());
        }
        signals.workAppeared();
    }

    private void reportLoss(HeldRun held, LossCause cause) {
        if (held.lose(cause)) {
            log.warn(
                    "the ending of run {} of job {} under {} with token {} does not count: {}",
                    held.run().id(),
                    held.run().job(),
                    held.key(),
                    held.token(),
                    cause.explanation());
            events.tell(new EngineEvent.LeaseLost(held.run(), cause));
        }
    }

    private void again(HeldRun held, FinishRequest request, Duration pause, Throwable failure) {
        if (timers.time().elapsed(held.confirmed()) > held.ttl().toNanos()) {
            log.error(
                    "how run {} of job {} under {} ended could not be told while its lease lived: {}",
                    held.run().id(),
                    held.run().job(),
                    held.key(),
                    failure.toString());
            activeRuns.dismiss(held);
            return;
        }
        FinishRequest next = mayBeHeard(failure) ? request : plain(held, request, failure);
        if (next == null) {
            log.error(
                    "no ending of run {} of job {} under {} can be told; its lease is left to end",
                    held.run().id(),
                    held.run().job(),
                    held.key(),
                    failure);
            activeRuns.dismiss(held);
            return;
        }
        log.warn(
                "the ending of run {} under {} is to be told again: {}",
                held.run().id(),
                held.key(),
                failure.toString());
        timers.chores()
                .after(
                        timers.time().jittered(pause, SPREAD),
                        () -> batches.finishes().submit(next).whenComplete((answer, unclear) -> {
                            if (unclear == null) {
                                settled(held, answer);
                            } else {
                                again(held, next, doubled(pause), unclear);
                            }
                        }));
    }

    private static boolean mayBeHeard(Throwable failure) {
        Throwable cause = FutureFailures.cause(failure);
        return cause instanceof StoreUnavailableException
                || cause instanceof RejectedExecutionException
                || cause instanceof Error;
    }

    // The store will never keep it as it is: a text it does not know, a time beyond all times. That it ended still
    // counts.
    private static @Nullable FinishRequest plain(HeldRun held, FinishRequest request, Throwable failure) {
        if (request.ending() instanceof Ending.Failed failed
                && failed.error().code().equals(UNTELLABLE)) {
            return null;
        }
        String why = "how it ended cannot be kept: "
                + FutureFailures.cause(failure).getClass().getSimpleName();
        return held.finishRequest(new Ending.Failed(new RunError(UNTELLABLE, why), false, null));
    }

    private static Duration doubled(Duration pause) {
        Duration next = pause.multipliedBy(2);
        return next.compareTo(LONGEST_PAUSE) > 0 ? LONGEST_PAUSE : next;
    }
}
