package io.interlock.locks.internal;

import io.interlock.Refusal;
import io.interlock.locks.Acquisition;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Somebody's place in line. Whoever completes its result decides what it gets: a grant that finds the result complete,
 * because of a timeout, an interrupt or a cancellation, was taken by nobody and is given back.
 */
final class AcquireWaiter {

    private final long ticket;
    private final PendingAcquire ask;
    private final Executor telling;
    private final CompletableFuture<Acquisition> result = new CompletableFuture<>();
    private volatile @Nullable Refusal refusal;

    /**
     * A place in line.
     *
     * @param ticket the order of arrival
     * @param telling where the result is completed, so that what depends on it harms nobody
     */
    AcquireWaiter(long ticket, PendingAcquire ask, Executor telling) {
        this.ticket = ticket;
        this.ask = ask;
        this.telling = telling;
    }

    long ticket() {
        return ticket;
    }

    PendingAcquire ask() {
        return ask;
    }

    CompletableFuture<Acquisition> result() {
        return result;
    }

    /** Runs {@code action} once the result is there, whoever made it. It must not block. */
    void whenDone(Runnable action) {
        CompletionStage<Acquisition> stage = result;
        stage.whenComplete((acquisition, failure) -> action.run());
    }

    /** Why it is not served yet, as far as it knows. */
    @Nullable
    Refusal refusal() {
        return refusal;
    }

    void refused(Refusal refusal) {
        this.refusal = refusal;
    }

    /** Hands {@code acquisition} over, or gives it back if nobody takes it. */
    void settle(Acquisition acquisition, Leases leases) {
        telling.execute(() -> {
            if (!result.complete(acquisition) && acquisition instanceof Acquisition.Granted granted) {
                leases.giveBack((HeldLease) granted.granted());
            }
        });
    }

    void fail(Throwable failure) {
        telling.execute(() -> result.completeExceptionally(failure));
    }
}
