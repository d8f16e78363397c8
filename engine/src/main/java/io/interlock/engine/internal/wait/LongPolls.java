package io.interlock.engine.internal.wait;

import io.interlock.engine.EngineClosedException;
import io.interlock.locks.runtime.Futures;
import io.interlock.locks.runtime.WaitQueues;
import io.interlock.time.Environment.Timers.Scheduled;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests that wait for an answer: for work of some jobs, for a key, for a turn, or for the end of a run. In between, only the first of those
 * that wait for the same asks. Safe for use by many threads.
 */
public final class LongPolls<K, A> {

    private final WaitScheduler waits;
    private final Predicate<A> isEnough;
    private final boolean shared;
    private final WaitQueues<K, A> queues;

    private LongPolls(WaitScheduler waits, Predicate<A> isEnough, boolean shared, WaitQueues.WakeUps<K, A> wakeUps) {
        this.waits = waits;
        this.isEnough = isEnough;
        this.shared = shared;
        this.queues = new WaitQueues<>(waits.pace(), waits.threads().calls(), wakeUps);
    }

    /**
     * Requests that are granted something: each asks for itself when it comes and when its time is over, and has what it is answered alone.
     *
     * @param isEnough whether an answer ends the wait before its time is over
     */
    public static <K, A> LongPolls<K, A> own(
            WaitScheduler waits, Predicate<A> isEnough, WaitQueues.WakeUps<K, A> wakeUps) {
        return new LongPolls<>(waits, isEnough, false, wakeUps);
    }

    /** Requests that look at something: one answer is that of all that wait for the same, and a look that fails is repeated. */
    public static <K, A> LongPolls<K, A> shared(
            WaitScheduler waits, Predicate<A> isEnough, WaitQueues.WakeUps<K, A> wakeUps) {
        return new LongPolls<>(waits, isEnough, true, wakeUps);
    }

    /** An answer that is enough or, when {@code wait} is over, any. Cancelling it ends the wait. */
    public CompletableFuture<A> within(K about, Duration wait, Supplier<CompletionStage<A>> question) {
        return within(about, wait, false, question);
    }

    /**
     * The same.
     *
     * @param atWork whether work under way waits, which goes on while the engine closes
     */
    public CompletableFuture<A> within(K about, Duration wait, boolean atWork, Supplier<CompletionStage<A>> question) {
        Waiter waiter = new Waiter(about, question);
        if (wait.isZero() || wait.isNegative()) {
            waiter.late = true;
            waiter.askByItself();
            return waiter.result;
        }
        Runnable refuse = () -> waiter.result.completeExceptionally(new EngineClosedException());
        Scheduled close = atWork ? waits.onEnd(refuse) : waits.onClose(refuse);
        Scheduled limit = waits.after(wait, waiter::timeIsOver);
        Futures.whenOver(waiter.result, (answer, failure) -> {
            close.cancel();
            limit.cancel();
            queues.leave(waiter, about);
        });
        if (shared) {
            waiter.join(null);
        } else {
            waiter.askByItself();
        }
        return waiter.result;
    }

    /** This is the answer to all that wait for {@code about}. */
    @SuppressWarnings("unchecked") // no other waiters are in these queues
    public void answer(K about, A answer) {
        queues.waiters(about).forEach(waiter -> ((Waiter) waiter).share(answer));
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

        // The last answer to a shared question, or one last question, unless one is under way: then its answer counts.
        void timeIsOver() {
            A known = shared ? queues.lastAnswer(about) : null;
            if (known != null) {
                settle(known, null);
                return;
            }
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
                    join(answer);
                }
            });
        }

        void join(@Nullable A known) {
            queues.join(this, about, known);
            if (result.isDone()) {
                // Its wait ended before it had its place.
                queues.leave(this, about);
            }
        }

        @Override
        protected @Nullable CompletionStage<WaitQueues.Next<A>> ask() {
            if (!beginsToAsk()) {
                return null;
            }
            return Futures.begun(question)
                    .handle((answer, failure) -> answered(answer)
                            // The next one asks at once: there may be more.
                            ? new WaitQueues.Next<>(() -> over(answer, failure), null, shared ? null : answer)
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
            boolean enough = answer == null ? !shared : isEnough.test(answer);
            synchronized (this) {
                asking = false;
                settled |= enough || late;
                return enough || late;
            }
        }

        /** It has the answer to another question, and asks no more. */
        private void share(A answer) {
            synchronized (this) {
                if (settled) {
                    return;
                }
                settled = true;
            }
            settle(answer, null);
        }

        private void over(@Nullable A answer, @Nullable Throwable failure) {
            settle(answer, failure);
            if (shared && answer != null && isEnough.test(answer)) {
                answer(about, answer);
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
