package io.interlock.engine.internal.wait;

import io.interlock.engine.EngineClosedException;
import io.interlock.engine.internal.runtime.FutureFailures;
import io.interlock.spi.ChangeFeed;
import io.interlock.time.Timers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks again, when a wake-up comes and from time to time anyway, until there is an answer worth having or the time is over;
 * then the last answer counts. Takes no thread while it waits.
 *
 * @param <A> the kind of answer
 */
public final class LongPoll<A> {

    private final WaitScheduler waits;
    private final Supplier<CompletionStage<A>> question;
    private final Predicate<A> isEnough;
    private final Function<Runnable, ChangeFeed.Subscription> wakeUps;
    private final CompletableFuture<A> result = new CompletableFuture<>();
    private final Poller poller;
    private volatile boolean late;

    public LongPoll(
            WaitScheduler waits,
            Supplier<CompletionStage<A>> question,
            Predicate<A> isEnough,
            Function<Runnable, ChangeFeed.Subscription> wakeUps) {
        this.waits = waits;
        this.question = question;
        this.isEnough = isEnough;
        this.wakeUps = wakeUps;
        this.poller = new Poller(waits, this::ask);
    }

    /** The answer; whoever cancels it no longer waits. */
    public CompletableFuture<A> within(Duration wait) {
        if (wait.isZero() || wait.isNegative()) {
            late = true;
            poller.look();
            return result;
        }
        Timers.Scheduled sentAway = waits.add(() -> result.completeExceptionally(new EngineClosedException()));
        Timers.Scheduled limit = waits.after(wait, this::timeIsOver);
        CompletionStage<A> over = result;
        over.whenComplete((answer, failure) -> {
            limit.cancel();
            sentAway.cancel();
            poller.end();
        });
        // Whoever asks may be an event loop, and a store may take its time to begin to listen.
        waits.call(this::listen).exceptionally(deaf -> {
            poller.look();
            return false;
        });
        return result;
    }

    private boolean listen() {
        poller.listen(wakeUps);
        return true;
    }

    private void ask() {
        if (!result.isDone()) {
            question.get().whenComplete(this::answered);
        }
    }

    // Whoever has its answer asks no more, though it may not have been told yet.
    private void answered(@Nullable A answer, @Nullable Throwable failure) {
        if (failure != null || late || (answer != null && isEnough.test(answer))) {
            settle(answer, failure);
        } else {
            poller.looked();
        }
    }

    // One last look, whose answer counts whatever it is.
    private void timeIsOver() {
        late = true;
        poller.look();
    }

    private void settle(@Nullable A answer, @Nullable Throwable failure) {
        waits.tell(() -> {
            if (answer == null) {
                result.completeExceptionally(
                        failure == null ? new IllegalStateException("no answer") : FutureFailures.cause(failure));
            } else {
                result.complete(answer);
            }
        });
    }
}
