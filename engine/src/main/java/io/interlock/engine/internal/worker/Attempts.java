package io.interlock.engine.internal.worker;

import io.interlock.engine.EngineTracer;
import io.interlock.engine.RunContext;
import io.interlock.engine.RunHandler;
import io.interlock.engine.RunHandler.WorkGoesOnException;
import io.interlock.engine.WorkContext.RunStoppedException;
import io.interlock.engine.WorkerEngine.WorkSource;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.EngineThreads.EngineTimers;
import io.interlock.engine.internal.worker.Finisher.Endings;
import io.interlock.engine.internal.worker.HeldRun.HeldRunContext;
import io.interlock.locks.runtime.Futures;
import io.interlock.run.Ending;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.run.RunTexts;
import io.interlock.spi.run.WorkSteps.ClaimRequest;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs attempts by the handlers of this process, each on a thread of its own. Safe for use by many threads. */
public record Attempts(
        WorkSource source,
        EngineThreads threads,
        EngineTimers timers,
        ActiveRuns activeRuns,
        Finisher finisher,
        @Nullable EngineTracer tracer) {

    private static final Logger log = LoggerFactory.getLogger(Attempts.class);

    interface Slot {

        /**
         * The work has stopped, and the store is about to be told.
         *
         * @return the claim by which the next run of its key is taken, or {@code null}
         */
        @Nullable
        ClaimRequest stopped();

        /** The store has been told, or will be later; always after {@link #stopped}. */
        void told();
    }

    void begin(HeldRun held, RunHandler handler, Slot slot) {
        try {
            threads.work().execute(new Task(held, handler, slot));
        } catch (RejectedExecutionException | OutOfMemoryError noThread) {
            log.error("{} cannot begin: no thread", held, noThread);
            slot.stopped();
            RunError error = new RunError("NO_THREAD", "the worker had no thread for it: " + noThread.getMessage());
            finisher.finishAsync(held, new Ending.Failed(error, true, Duration.ZERO))
                    .whenComplete((answer, toldAgain) -> slot.told());
        }
    }

    private final class Context extends HeldRunContext implements RunContext {

        private final WorkOutput output;
        private final EngineTracer.@Nullable TracedWork traced;

        Context(HeldRun held, WorkOutput output, EngineTracer.@Nullable TracedWork traced) {
            super(Attempts.this.activeRuns, held);
            this.output = output;
            this.traced = traced;
        }

        @Override
        public Optional<String> traceparent() {
            return traced == null ? super.traceparent() : Optional.ofNullable(traced.traceparent());
        }

        @Override
        public void progress(long done, long total) {
            activeRuns.progress(held, new Progress(done, total));
        }

        @Override
        public void output(String text) {
            output.add(text);
        }

        @Override
        public Duration grace() {
            return held.job().grace();
        }
    }

    /** One attempt by a handler of this process, from its first line until the store knows how it ended. */
    private final class Task implements Runnable {

        private final HeldRun held;
        private final RunHandler handler;
        private final Slot slot;
        private final WorkOutput output;

        Task(HeldRun held, RunHandler handler, Slot slot) {
            this.held = held;
            this.handler = handler;
            this.slot = slot;
            this.output = new WorkOutput(held);
        }

        @Override
        public void run() {
            Ending ending;
            try {
                ending = work();
            } catch (WorkGoesOnException elsewhere) {
                slot.stopped();
                finalReport();
                activeRuns.leave(held, String.valueOf(elsewhere.getMessage()));
                slot.told();
                return;
            }
            finish(ending, slot.stopped());
        }

        private Ending work() {
            held.stop().begin();
            try {
                Optional<StopRequest> stop = held.stop().raised();
                if (stop.isPresent()) {
                    // Told to stop before it began.
                    return Endings.threw(held, new RunStoppedException(stop.get()));
                }
                return Endings.returned(held, tracer == null ? call(null) : traced(tracer.working(held.run())));
            } catch (Throwable failure) {
                return threw(failure);
            } finally {
                held.stop().end();
            }
        }

        private @Nullable String traced(EngineTracer.TracedWork traced) throws Exception {
            Throwable thrown = null;
            try {
                return call(traced);
            } catch (Throwable failure) {
                thrown = failure;
                throw failure;
            } finally {
                traced.ended(thrown, timers.environment().clock().instant());
            }
        }

        private @Nullable String call(EngineTracer.@Nullable TracedWork traced) throws Exception {
            return handler.run(new Context(held, output, traced));
        }

        // Exceptions are the work's own code, and may throw themselves. The run has ended all the same.
        private Ending threw(Throwable failure) {
            try {
                // Before all else, and also as a future reports it: taken for a failure, it would release the key.
                if (Futures.cause(failure) instanceof WorkGoesOnException elsewhere) {
                    throw elsewhere;
                }
                log.debug("the work of {} failed", held, failure);
                return Endings.threw(held, failure);
            } catch (WorkGoesOnException elsewhere) {
                throw elsewhere;
            } catch (Throwable worse) {
                String what = failure.getClass().getName() + ", which cannot be read: "
                        + worse.getClass().getName();
                return new Ending.Failed(new RunError(Finisher.UNTELLABLE, what), true, null);
            }
        }

        private void finish(Ending ending, @Nullable ClaimRequest next) {
            finalReport();
            try {
                finisher.finishAsync(held, ending, next).whenComplete((answer, toldAgain) -> {
                    if (toldAgain != null) {
                        log.debug("the result of {} is reported later: {}", held, toldAgain.toString());
                    }
                    slot.told();
                });
            } catch (RuntimeException | Error notTold) {
                log.error("could not report the result of {}", held, notTold);
                slot.told();
            }
        }

        private void finalReport() {
            // It has ended, whatever is still to be told: neither stuck nor too slow any more.
            activeRuns.ended(held);
            output.end();
            finisher.sendReport(held);
        }
    }

    /**
     * What work has to say, on its way to the store: its end from time to time while the work goes on, so that people can read along,
     * and a longer one when it has ended. Nothing that goes wrong here decides how a run ends. Safe for use by many threads.
     */
    private final class WorkOutput {

        /** How often at the most it is sent while the work goes on. */
        static final Duration EVERY = Duration.ofSeconds(3);

        /** How many characters of it, meanwhile: never more than 8 KiB of plain text. */
        static final int MEANWHILE = 8 * 1024;

        /** And when it has ended: so many never make more than the 64 KiB a store keeps. */
        private static final int MOST = 16 * 1024;

        private static final double SPREAD = 0.2;

        private final HeldRun held;
        private final StringBuilder text = new StringBuilder();
        // Of two texts on their way, the longer one of the end must arrive last.
        private final Object sending = new Object();
        private Timers.@Nullable Scheduled next;
        private boolean over;

        WorkOutput(HeldRun held) {
            this.held = held;
        }

        synchronized void add(String more) {
            text.append(more);
            if (text.length() > 2 * MOST) {
                text.replace(0, text.length(), RunTexts.end(text, MOST));
            }
            if (next == null && !over && !more.isEmpty()) {
                Duration pause = timers.time().jittered(EVERY, SPREAD);
                next = timers.chores().after(pause, () -> threads.call(this::tellMeanwhile));
            }
        }

        private synchronized String tail(int most) {
            return RunTexts.end(text, most);
        }

        /** Keeps the end of it for good; what comes after is not kept. */
        void end() {
            synchronized (this) {
                over = true;
                if (next != null) {
                    next.cancel();
                }
            }
            synchronized (sending) {
                keep(tail(MOST));
            }
        }

        private boolean tellMeanwhile() {
            synchronized (sending) {
                synchronized (this) {
                    next = null;
                    if (over) {
                        return false;
                    }
                }
                return held.lost() == null && keep(tail(MEANWHILE));
            }
        }

        private boolean keep(String text) {
            try {
                return !text.isEmpty() && source.steps().keepOutput(held.outputNote(text));
            } catch (RuntimeException | Error failure) {
                log.warn("the output of {} could not be kept: {}", held, failure.toString());
                return false;
            }
        }
    }
}
