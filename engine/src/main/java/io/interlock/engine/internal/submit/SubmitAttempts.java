package io.interlock.engine.internal.submit;

import io.interlock.ConflictPolicy;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.batch.Coalescer;
import io.interlock.engine.EngineClosedException;
import io.interlock.engine.Job;
import io.interlock.engine.Submission;
import io.interlock.engine.internal.wait.WaitScheduler;
import io.interlock.locks.runtime.Futures;
import io.interlock.run.Run;
import io.interlock.spi.run.RunSteps.SubmitAnswer;
import io.interlock.spi.run.RunSteps.SubmitRequest;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime.Moment;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends submissions, again if they are refused and their callers want that. Safe for use by many threads. */
public record SubmitAttempts(WaitScheduler waits, Coalescer<SubmitRequest, SubmitAnswer> submits, Cancels cancels) {

    private static final Logger log = LoggerFactory.getLogger(SubmitAttempts.class);

    /** Sends {@code request} once, on the calling thread. */
    Submission once(SubmitRequest request, BiFunction<SubmitAnswer, Moment, Submission> conclusion) {
        Moment before = waits.now();
        return conclusion.apply(submits.call(request), before);
    }

    /**
     * Sends {@code request}. Cancelling what this returns ends asking again.
     *
     * @param remote whether the code behind the answer is ours: it is quick, and another thread would cost more than it does
     * @param conclusion what an answer means, by when it was asked for
     */
    CompletableFuture<Submission> begin(
            SubmitRequest request,
            Job.ConflictRetry retry,
            boolean remote,
            BiFunction<SubmitAnswer, Moment, Submission> conclusion) {
        return new Attempt(request, retry, remote ? Runnable::run : waits::tell, conclusion).begin();
    }

    /**
     * One request on its way to the store; it goes there again if it is refused and wants that. When the engine closes, it is
     * refused between two calls only: so nothing is started for a caller that is told that nothing was. What the store grants after its
     * caller has given up is given back. Takes no thread while it waits.
     */
    private final class Attempt {

        private final SubmitRequest request;
        private final Job.ConflictRetry retry;
        private final Executor callbacks;
        private final BiFunction<SubmitAnswer, Moment, Submission> conclusion;
        private final CompletableFuture<Submission> result = new CompletableFuture<>();

        // All below is guarded by this.
        private int retries;
        private boolean underWay;
        private boolean closing;

        Attempt(
                SubmitRequest request,
                Job.ConflictRetry retry,
                Executor callbacks,
                BiFunction<SubmitAnswer, Moment, Submission> conclusion) {
            this.request = request;
            this.retry = retry;
            this.retries = retry.times();
            this.callbacks = callbacks;
            this.conclusion = conclusion;
        }

        /** Sends it. Cancelling what this returns gives up, and nothing more is asked for. */
        CompletableFuture<Submission> begin() {
            Timers.Scheduled sentAway = retry.times() > 0 ? waits.onClose(this::sendAway) : () -> {};
            Futures.whenOver(result, (submission, failure) -> sentAway.cancel());
            attempt();
            return result;
        }

        private void sendAway() {
            synchronized (this) {
                closing = true;
                if (underWay) {
                    return;
                }
            }
            result.completeExceptionally(new EngineClosedException());
        }

        private void attempt() {
            synchronized (this) {
                if (closing || result.isDone()) {
                    return;
                }
                underWay = true;
            }
            Moment before = waits.now();
            Futures.begun(() -> submits.submit(request))
                    .whenComplete((answer, failure) -> answered(answer, failure, before));
        }

        private void answered(@Nullable SubmitAnswer answer, @Nullable Throwable failure, Moment before) {
            try {
                if (answer == null) {
                    Throwable why = failure == null ? new IllegalStateException("no answer") : Futures.cause(failure);
                    callbacks.execute(() -> result.completeExceptionally(why));
                } else if (answer instanceof SubmitAnswer.Refused refused
                        && mayPass(refused.refusal())
                        && takeRetry()) {
                    again();
                } else {
                    callbacks.execute(() -> conclude(answer, before));
                }
            } catch (RuntimeException | Error noThread) {
                // The caller must be told, or it would wait for an answer for ever.
                result.completeExceptionally(noThread);
            }
        }

        private synchronized boolean takeRetry() {
            if (retries == 0) {
                return false;
            }
            retries--;
            return true;
        }

        private void again() {
            boolean over;
            synchronized (this) {
                underWay = false;
                over = closing;
            }
            if (over) {
                callbacks.execute(() -> result.completeExceptionally(new EngineClosedException()));
            } else {
                waits.afterAbout(retry.delay(), this::attempt);
            }
        }

        private void conclude(SubmitAnswer answer, Moment before) {
            try {
                Submission submission = conclusion.apply(answer, before);
                if (!result.complete(submission)) {
                    giveBack(submission);
                }
            } catch (RuntimeException | Error thrown) {
                result.completeExceptionally(thrown);
            }
        }

        // The caller has given up meanwhile, and does not know what was granted.
        private void giveBack(Submission submission) {
            if (submission instanceof Submission.Started started) {
                if (started.work() != null) {
                    started.work().close();
                } else {
                    cancel(started.orElseThrow());
                }
            } else if (submission instanceof Submission.Queued queued) {
                if (queued.turn() != null) {
                    queued.turn().close();
                } else {
                    cancel(queued.orElseThrow());
                }
            }
        }

        // Not what the caller may come back for, by its lease or idempotency key, perhaps elsewhere and already.
        private void cancel(Run run) {
            boolean mayComeBack = request.caller() != null || request.idempotency() != null;
            if (mayComeBack
                    || !run.id().equals(request.id())
                    || isShared(request.spec().policy())) {
                return;
            }
            try {
                cancels.cancel(run.id(), "its caller left before it was answered");
            } catch (RuntimeException failure) {
                log.warn(
                        "run {} under {} goes on, though its caller has left: {}",
                        run.id(),
                        run.key(),
                        failure.toString());
            }
        }

        /** Whether other callers may have been told of the run as theirs, or other runs had to go for it. */
        private static boolean isShared(ConflictPolicy policy) {
            return policy == ConflictPolicy.JOIN || policy.supersedes();
        }

        private static boolean mayPass(Refusal refusal) {
            return !(refusal instanceof RunRefusal.WrongState);
        }
    }
}
