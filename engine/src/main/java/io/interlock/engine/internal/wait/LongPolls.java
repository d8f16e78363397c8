package io.interlock.engine.internal.wait;

import io.interlock.engine.EngineClosedException;
import io.interlock.locks.runtime.Futures;
import io.interlock.locks.runtime.WaitQueues;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests of other processes that wait for an answer: for work of some jobs, for a key, or for a turn. Each asks once when it comes and
 * once when its time is over; in between, only the first of those that wait for the same asks. Safe for use by many threads.
 */
public final class LongPolls<K, A> {

    private final WaitScheduler waits;
    private final Predicate<A> isEnough;
    private final WaitQueues<K, A> queues;

    /**
     * No requests yet.
     *
     * @param isEnough whether an answer ends the wait before its time is over
     */
    public LongPolls(WaitScheduler waits, Predicate<A> isEnough, WaitQueues.WakeUps<K, A> wakeUps) {
        this.waits = waits;
        this.isEnough = isEnough;
        this.queues = new WaitQueues<>(waits.pace(), waits.threads().calls(), wakeUps);
    }

    /** An answer that is enough or, when {@code wait} is over, any. Cancelling it ends the wait. */
    public CompletableFuture<A> within(K about, Duration wait, Supplier<CompletionStage<A>> question) {
        Waiter waiter = new Waiter(about, question);
        if (wait.isZero() || wait.isNegative()) {
            waiter.late = true;
        } else {
            Timers.Scheduled close =
                    waits.onClose(() -> waiter.result.completeExceptionally(new EngineClosedException()));
            Timers.Scheduled limit = waits.after(wait, waiter::timeIsOver);
            Futures.whenOver(waiter.result, (answer, failure) -> {
                close.cancel();
                limit.cancel();
                queues.leave(waiter, about);
            });
        }
        waiter.askByItself();
        return waiter.result;
    }

    /**
     * One request. It has one question under way at a time, and none after the answer that ends its wait: what the store grants to a
     * question whose answer no caller takes would be kept from all others until its lease ends.
     */
    private final class Waiter extends WaitQueues.Waiter<A> {

        private final K about;
        private final Supplier<CompletionStage<A>> question;
        private final CompletableFuture<A> result = new CompletableFuture<>();
        private boolean asking;
        private boolean late;
        private boolean settled;

        Waiter(K about, Supplier<CompletionStage<A>> question) {
            super(queues.ticket());
            this.about = about;
            this.question = question;
        }

        // One last question, unless one is under way: then its answer counts.
        void timeIsOver() {
            synchronized (this) {
                late = true;
            }
            askByItself();
        }

        void askByItself() {
            if (!beginsToAsk()) {
                return;
            }
            Futures.begun(question).whenComplete((answer, failure) -> {
                if (answered(answer)) {
                    settle(answer, failure);
                } else if (!result.isDone()) {
                    queues.join(this, about, answer);
                    if (result.isDone()) {
                        // Its wait ended before it had its place.
                        queues.leave(this, about);
                    }
                }
            });
        }

        @Override
        protected @Nullable CompletionStage<WaitQueues.Next<A>> ask() {
            if (!beginsToAsk()) {
                return null;
            }
            return Futures.begun(question)
                    .handle((answer, failure) -> answered(answer)
                            // The next one asks at once: there may be more.
                            ? new WaitQueues.Next<>(() -> settle(answer, failure), null, answer)
                            : new WaitQueues.Next<>(null, WaitQueues.NEXT_POLL, answer));
        }

        private synchronized boolean beginsToAsk() {
            if (asking || settled || result.isDone()) {
                return false;
            }
            asking = true;
            return true;
        }

        /** It has its answer. Returns whether that ends its wait. */
        private boolean answered(@Nullable A answer) {
            boolean enough = answer == null || isEnough.test(answer);
            synchronized (this) {
                asking = false;
                settled = enough || late;
                return settled;
            }
        }

        private void settle(@Nullable A answer, @Nullable Throwable failure) {
            waits.tell(() -> {
                if (answer != null) {
                    result.complete(answer);
                } else {
                    result.completeExceptionally(
                            failure == null ? new IllegalStateException("no answer") : Futures.cause(failure));
                }
            });
        }
    }
}
