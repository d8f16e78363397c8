package io.interlock.server.api;

import io.interlock.server.problem.Problems;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Requests that wait for something. Each ends with what it waits for, with its client, with the API key it came with, or with the
 * server, whichever comes first; none takes a thread. Nothing is answered to a key that was taken back meanwhile: what was granted in
 * that very moment is handed to no client and ends with its lease. Safe for use by many threads.
 */
public final class OpenWaits {

    /** How often a wait asks whether its key still counts. Together with the age of an answer about a key it stays at 5 s. */
    private static final Duration CHECK_EVERY = Duration.ofSeconds(1);

    private final Set<Wait<?>> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** {@code awaited}, unless the client goes away, its key ends or the server stops before; then the wait is cancelled. */
    public <T> CompletionStage<T> until(Call call, CompletionStage<T> awaited) {
        Wait<T> wait = new Wait<>(call);
        open.add(wait);
        awaited.whenComplete((answer, failure) -> {
            if (failure == null) {
                wait.answer(answer);
            } else {
                wait.answered.completeExceptionally(failure);
            }
        });
        call.whenOver(() -> wait.answered.cancel(false));
        call.everyUntilOver(CHECK_EVERY, wait::check);
        CompletionStage<T> over = wait.answered;
        over.whenComplete((answer, failure) -> {
            open.remove(wait);
            awaited.toCompletableFuture().cancel(false);
        });
        if (closed) {
            close();
        }
        return wait.answered;
    }

    int size() {
        return open.size();
    }

    /** Ends the waits whose keys no longer count. */
    public void checkKeys() {
        open.forEach(Wait::check);
    }

    /** Ends all waits, with a problem that says that another node may answer. */
    public void close() {
        closed = true;
        open.forEach(Wait::stop);
    }

    private static final class Wait<T> {

        private final Call call;
        private final CompletableFuture<T> answered = new CompletableFuture<>();

        Wait(Call call) {
            this.call = call;
        }

        void answer(T answer) {
            call.isStillKnown().whenComplete((known, failure) -> {
                if (failure != null) {
                    answered.completeExceptionally(failure);
                } else if (known) {
                    answered.complete(answer);
                } else {
                    refuse();
                }
            });
        }

        /** If the store does not say, the wait goes on: its end is checked again. */
        void check() {
            call.isStillKnown().thenAccept(known -> {
                if (!known) {
                    refuse();
                }
            });
        }

        void stop() {
            answered.completeExceptionally(Problems.stopping());
        }

        private void refuse() {
            answered.completeExceptionally(Problem.of(
                    ProblemCode.UNAUTHENTICATED, "The API key was revoked or has expired while the request waited."));
        }
    }
}
