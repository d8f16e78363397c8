package io.interlock.engine.internal.wait;

import io.interlock.engine.EngineClosedException;
import io.interlock.engine.internal.runtime.FutureFailures;
import io.interlock.spi.ChangeFeed;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Many who wait for few things: work of some jobs, or a key. Each looks once when it comes and once when its time is over; in
 * between, only the first in each line looks. So thousands who wait cost the store no more than one, and no thread.
 *
 * @param <K> what lines are about
 * @param <A> the kind of answer
 */
public final class PollLines<K, A> {

    private final WaitScheduler waits;
    private final Predicate<A> isEnough;
    private final Function<K, Function<Runnable, ChangeFeed.Subscription>> wakeUps;
    private final ConcurrentMap<K, PollLine<A>> lines = new ConcurrentHashMap<>();

    /**
     * Lines for those to whom an answer is enough if {@code isEnough} says so.
     *
     * @param wakeUps how to hear of changes about what a line is about
     */
    public PollLines(
            WaitScheduler waits,
            Predicate<A> isEnough,
            Function<K, Function<Runnable, ChangeFeed.Subscription>> wakeUps) {
        this.waits = waits;
        this.isEnough = isEnough;
        this.wakeUps = wakeUps;
    }

    /** An answer that is enough or, when {@code wait} is over, any; whoever cancels it no longer waits. */
    public CompletableFuture<A> within(K about, Duration wait, Supplier<CompletionStage<A>> question) {
        PollLine.Waiter<A> waiter = new PollLine.Waiter<>(question);
        CompletableFuture<A> result = waiter.result();
        if (wait.isZero() || wait.isNegative()) {
            waiter.timeIsOver();
        } else {
            Timers.Scheduled sentAway = waits.add(() -> result.completeExceptionally(new EngineClosedException()));
            Timers.Scheduled limit = waits.after(wait, () -> timeIsOver(waiter, about));
            CompletionStage<A> over = result;
            over.whenComplete((answer, failure) -> {
                sentAway.cancel();
                limit.cancel();
                leave(waiter, about);
            });
        }
        ask(waiter, about);
        return result;
    }

    // One last look, unless a question is under way: then its answer counts.
    private void timeIsOver(PollLine.Waiter<A> waiter, K about) {
        waiter.timeIsOver();
        ask(waiter, about);
    }

    private void ask(PollLine.Waiter<A> waiter, K about) {
        if (!waiter.beginsToAsk()) {
            return;
        }
        waiter.ask().whenComplete((answer, failure) -> {
            if (waiter.answered(answer == null || isEnough.test(answer))) {
                settle(waiter, answer, failure);
            } else if (!waiter.result().isDone()) {
                join(waiter, about);
            }
        });
    }

    private void join(PollLine.Waiter<A> waiter, K about) {
        PollLine<A> line = line(about);
        while (!line.join(waiter)) {
            // It has just ended.
            lines.remove(about, line);
            line = line(about);
        }
    }

    private PollLine<A> line(K about) {
        return lines.computeIfAbsent(
                about,
                fresh -> new PollLine<>(waits, wakeUps.apply(about), new PollLine.Judge<A>() {
                    @Override
                    public boolean isEnough(A answer) {
                        return isEnough.test(answer);
                    }

                    @Override
                    public void settle(PollLine.Waiter<A> waiter, @Nullable A answer, @Nullable Throwable failure) {
                        PollLines.this.settle(waiter, answer, failure);
                    }

                    @Override
                    public void retired(PollLine<A> line) {
                        lines.remove(about, line);
                    }
                }));
    }

    private void leave(PollLine.Waiter<A> waiter, K about) {
        PollLine<A> line = lines.get(about);
        if (line != null) {
            line.leave(waiter);
        }
    }

    private void settle(PollLine.Waiter<A> waiter, @Nullable A answer, @Nullable Throwable failure) {
        waits.tell(() -> {
            if (answer == null) {
                waiter.result()
                        .completeExceptionally(
                                failure == null
                                        ? new IllegalStateException("no answer")
                                        : FutureFailures.cause(failure));
            } else {
                waiter.result().complete(answer);
            }
        });
    }
}
