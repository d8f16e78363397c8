package io.interlock.engine.internal;

import io.interlock.spi.ChangeFeed;
import io.interlock.time.LocalTime;
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
final class LongPoll<A> {

    private static final double SPREAD = 0.2;

    private final House house;
    private final Supplier<CompletionStage<A>> question;
    private final Predicate<A> isEnough;
    private final Function<Runnable, ChangeFeed.Subscription> wakeUps;
    private final CompletableFuture<A> result = new CompletableFuture<>();
    private boolean asking;
    private boolean again;
    private boolean late;
    private Timers.@Nullable Scheduled poll;
    private ChangeFeed.@Nullable Subscription heard;

    LongPoll(
            House house,
            Supplier<CompletionStage<A>> question,
            Predicate<A> isEnough,
            Function<Runnable, ChangeFeed.Subscription> wakeUps) {
        this.house = house;
        this.question = question;
        this.isEnough = isEnough;
        this.wakeUps = wakeUps;
    }

    /** The answer; whoever cancels it no longer waits. */
    CompletableFuture<A> within(Duration wait) {
        if (wait.isZero() || wait.isNegative()) {
            late = true;
            ask();
            return result;
        }
        Timers.Scheduled sentAway = house.waits().add(() -> result.completeExceptionally(House.closed()));
        Timers.Scheduled limit = house.deadlines().after(LocalTime.capped(wait), this::timeIsOver);
        CompletionStage<A> over = result;
        over.whenComplete((answer, failure) -> {
            limit.cancel();
            sentAway.cancel();
            stopListening();
            stopPolling();
        });
        // Whoever asks may be an event loop, and a store may take its time to begin to listen.
        house.called(this::listen).whenComplete((listening, failure) -> ask());
        return result;
    }

    private boolean listen() {
        ChangeFeed.Subscription subscription = wakeUps.apply(this::ask);
        synchronized (this) {
            if (!result.isDone()) {
                heard = subscription;
                return true;
            }
        }
        subscription.close();
        return false;
    }

    private void stopListening() {
        ChangeFeed.Subscription over;
        synchronized (this) {
            over = heard;
            heard = null;
        }
        if (over != null) {
            over.close();
        }
    }

    private void ask() {
        synchronized (this) {
            if (asking) {
                again = true;
                return;
            }
            if (result.isDone()) {
                return;
            }
            asking = true;
            again = false;
            stopPolling();
        }
        question.get().whenComplete(this::answered);
    }

    private void answered(@Nullable A answer, @Nullable Throwable failure) {
        boolean more;
        synchronized (this) {
            boolean enough = failure != null || late || (answer != null && isEnough.test(answer));
            // Whoever has its answer asks no more, though it may not have been told yet.
            asking = enough;
            more = !enough && again;
            if (enough) {
                settle(answer, failure);
            } else if (!more && !result.isDone()) {
                Duration pause = house.time().jittered(house.settings().pollEvery(), SPREAD);
                poll = house.deadlines().after(pause, this::ask);
            }
        }
        if (more) {
            ask();
        }
    }

    // One last look, whose answer counts whatever it is.
    private void timeIsOver() {
        synchronized (this) {
            late = true;
        }
        ask();
    }

    private void settle(@Nullable A answer, @Nullable Throwable failure) {
        house.threads().tell(() -> {
            if (answer == null) {
                result.completeExceptionally(
                        failure == null ? new IllegalStateException("no answer") : Failures.cause(failure));
            } else {
                result.complete(answer);
            }
        });
    }

    private synchronized void stopPolling() {
        if (poll != null) {
            poll.cancel();
            poll = null;
        }
    }
}
