package io.interlock.engine.internal.worker;

import io.interlock.InvalidSettingException;
import io.interlock.LossCause;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.EngineEvent;
import io.interlock.engine.PermanentFailureException;
import io.interlock.engine.TransientFailureException;
import io.interlock.engine.internal.runtime.Batches;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.runtime.EngineThreads.EngineTimers;
import io.interlock.locks.runtime.Backoff;
import io.interlock.locks.runtime.Futures;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Ending;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.spi.run.WorkSteps.FinishRequest;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the store how attempts ended. What it did not answer is sent again, unchanged, until the lease must be over; heartbeats go on
 * meanwhile, so that the result still counts when the store is back in time.
 */
public final class Finisher {

    static final String UNTELLABLE = "UNTELLABLE";

    private static final int MOST_REPORTS = 10;
    private static final Logger log = LoggerFactory.getLogger(Finisher.class);

    private final Batches.Work batches;
    private final ActiveRuns activeRuns;
    private final EngineEvents events;
    private final EngineTimers timers;
    private NextRun nextRun = (ended, next, before) -> {};

    Finisher(Batches.Work batches, ActiveRuns activeRuns, EngineEvents events, EngineTimers timers) {
        this.batches = batches;
        this.activeRuns = activeRuns;
        this.events = events;
        this.timers = timers;
    }

    /** Sends what the work reported last, which would otherwise wait for a heartbeat that never comes. */
    public void sendReport(HeldRun held) {
        held.sendsFinalReport(true);
        try {
            WorkReport.Words words = held.report().next();
            for (int i = 0; i < MOST_REPORTS && held.lost() == null && words.isNews(); i++) {
                Moment before = timers.time().now();
                if (!(batches.heartbeats().call(held.heartbeatRequest(words)) instanceof HeartbeatAnswer.Beating)) {
                    return;
                }
                held.confirm(before);
                held.report().told(words);
                words = held.report().next();
            }
        } catch (RuntimeException | Error failure) {
            log.debug("the last report of {} was not sent: {}", held, failure.toString());
        } finally {
            held.sendsFinalReport(false);
        }
    }

    /** Takes over the next run of a key, which the store gave to this process with its answer. */
    @FunctionalInterface
    interface NextRun {

        /** Begins it. */
        void taken(HeldRun ended, Claimed next, Moment before);
    }

    /** Sets what takes over runs that the store gives with its answers; before the first of them is finished. */
    void onNext(NextRun takesOver) {
        nextRun = takesOver;
    }

    /** The work of {@code held} has stopped, and this is how. Throws if the store did not answer; it is told again then. */
    public FinishAnswer finish(HeldRun held, Ending ending) {
        FinishRequest request = ended(held, ending, null);
        Moment before = timers.time().now();
        try {
            FinishAnswer answer = batches.finishes().call(request);
            settled(held, answer, before);
            return answer;
        } catch (RuntimeException | Error failure) {
            again(held, request, new Backoff(timers.time()), failure);
            throw failure;
        }
    }

    /** Like {@link #finish}, without waiting. */
    public CompletionStage<FinishAnswer> finishAsync(HeldRun held, Ending ending) {
        return finishAsync(held, ending, null);
    }

    /** The same; takes the next run of its key by the claim {@code next}, if there is one. */
    CompletionStage<FinishAnswer> finishAsync(HeldRun held, Ending ending, @Nullable ClaimRequest next) {
        return send(held, ended(held, ending, next), new Backoff(timers.time()));
    }

    private CompletionStage<FinishAnswer> send(HeldRun held, FinishRequest request, Backoff backoff) {
        Moment before = timers.time().now();
        return batches.finishes().submit(request).whenComplete((answer, failure) -> {
            if (failure == null) {
                settled(held, answer, before);
            } else {
                again(held, request, backoff, failure);
            }
        });
    }

    /** Another process says how the work of an attempt ended. */
    public CompletionStage<FinishAnswer> finishElsewhere(FinishRequest request) {
        return batches.finishes().submit(request).thenApply(answer -> {
            if (answer instanceof FinishAnswer.Finished finished) {
                // A handler of this process may have asked the other process to do the work.
                activeRuns
                        .of(request.run())
                        .filter(held -> held.token().equals(request.token()))
                        .forEach(activeRuns::endedElsewhere);
                events.tell(new EngineEvent.AttemptEnded(finished.run()));
                events.ended(finished.run());
            } else if (answer instanceof FinishAnswer.LeaseLost lost) {
                lost.current().ifPresent(run -> events.tell(new EngineEvent.LeaseLost(run, lost.cause())));
            }
            events.workAppeared();
            return answer;
        });
    }

    private FinishRequest ended(HeldRun held, Ending ending, @Nullable ClaimRequest next) {
        activeRuns.ended(held);
        return held.finishRequest(ending, next);
    }

    private void settled(HeldRun held, FinishAnswer answer, Moment before) {
        // Before the end is settled: a shutdown waits for both.
        if (answer instanceof FinishAnswer.Finished finished) {
            finished.taken().ifPresent(next -> nextRun.taken(held, next, before));
        }
        report(held, answer);
    }

    private void report(HeldRun held, FinishAnswer answer) {
        if (!activeRuns.dismiss(held)) {
            return;
        }
        if (answer instanceof FinishAnswer.Finished finished) {
            log.debug("{} is {}", held, finished.run().state());
            events.tell(new EngineEvent.AttemptEnded(finished.run()));
            events.ended(finished.run());
        } else if (answer instanceof FinishAnswer.LeaseLost lost) {
            LossCause cause = lost.cause();
            if (held.markLost(cause)) {
                log.warn("the result of {} does not count: {}", held, cause.explanation());
                events.tell(new EngineEvent.LeaseLost(held.run(), cause));
            }
            lost.current().ifPresent(events::ended);
        } else if (answer instanceof FinishAnswer.AlreadyFinished before) {
            Run ended = before.run();
            log.warn("{} had ended before with another result: {}", held, ended.state());
            events.ended(ended);
        }
        events.workAppeared();
    }

    private void again(HeldRun held, FinishRequest request, Backoff backoff, Throwable failure) {
        if (timers.time().elapsed(held.confirmed())
                > held.run().spec().terms().ttl().toNanos()) {
            log.error("could not report the result of {} before its lease expired: {}", held, failure.toString());
            activeRuns.dismiss(held);
            return;
        }
        FinishRequest next = mayBeHeard(failure) ? request : plain(held, request, failure);
        if (next == null) {
            log.error("no result of {} can be reported; its lease is left to expire", held, failure);
            activeRuns.dismiss(held);
            return;
        }
        log.warn("could not report the result of {}; retrying: {}", held, failure.toString());
        timers.chores().after(backoff.next(), () -> send(held, next, backoff));
    }

    private static boolean mayBeHeard(Throwable failure) {
        Throwable cause = Futures.cause(failure);
        return cause instanceof StoreUnavailableException
                || cause instanceof RejectedExecutionException
                || cause instanceof Error;
    }

    // The store will never keep it as it is, for instance a text it cannot encode. That the run ended still counts.
    private static @Nullable FinishRequest plain(HeldRun held, FinishRequest request, Throwable failure) {
        if (request.ending() instanceof Ending.Failed failed
                && failed.error().code().equals(UNTELLABLE)) {
            return null;
        }
        String why = "how it ended cannot be kept: "
                + Futures.cause(failure).getClass().getSimpleName();
        return held.finishRequest(new Ending.Failed(new RunError(UNTELLABLE, why), false, null), null);
    }

    /** What an attempt's ending is called, judged by what the work returned or threw, and by what it was told meanwhile. */
    public static final class Endings {

        private Endings() {}

        static Ending returned(HeldRun work, @Nullable String result) {
            Ending forced = forced(work);
            if (forced != null) {
                return forced;
            }
            try {
                return new Ending.Succeeded(result);
            } catch (InvalidSettingException tooLong) {
                return new Ending.Failed(new RunError("RESULT_TOO_LARGE", text(tooLong)), false, null);
            }
        }

        public static Ending threw(HeldRun work, Throwable failure) {
            Ending forced = forced(work);
            if (forced != null) {
                return forced;
            }
            Optional<StopRequest> stop = work.stop().raised();
            if (stop.isPresent()) {
                return stop.get().code().equals(ActiveRuns.SHUTDOWN)
                        ? new Ending.Failed(
                                new RunError(ActiveRuns.SHUTDOWN, stop.get().reason()), true, Duration.ZERO)
                        : new Ending.Aborted(stop.get().error());
            }
            return failed(work, Futures.cause(failure));
        }

        /** The work says {@code ending}, which counts unless the lease or the time was over before. */
        public static Ending said(HeldRun work, Ending ending) {
            Ending forced = forced(work);
            return forced != null ? forced : ending;
        }

        /** The ending that no word of the work can change, or {@code null}. */
        private static @Nullable Ending forced(HeldRun work) {
            if (work.lost() != null) {
                return new Ending.Failed(
                        new RunError(
                                ActiveRuns.LEASE_LOST,
                                "the lease was lost: " + work.lost().explanation()),
                        true,
                        null);
            }
            return work.stop()
                    .raised()
                    .filter(stop -> stop.code().equals(RunError.MAX_RUNTIME))
                    .map(stop -> new Ending.TimedOut(new RunError(RunError.MAX_RUNTIME, stop.reason())))
                    .orElse(null);
        }

        private static Ending failed(HeldRun work, Throwable failure) {
            if (failure instanceof PermanentFailureException permanent) {
                return new Ending.Failed(new RunError(permanent.code(), text(failure)), false, null);
            }
            if (failure instanceof TransientFailureException passing) {
                Duration rest = passing.rest().orElse(null);
                return new Ending.Failed(new RunError(passing.code(), text(failure)), true, rest);
            }
            RunError error = new RunError(code(failure), text(failure));
            return new Ending.Failed(error, work.job().failures().mayPass(failure), null);
        }

        private static String code(Throwable failure) {
            String simple = failure.getClass().getSimpleName();
            return simple.isEmpty() ? failure.getClass().getName() : simple;
        }

        private static String text(Throwable failure) {
            String message = failure.getMessage();
            return message == null || message.isBlank() ? failure.getClass().getName() : message;
        }
    }
}
