package io.interlock.server.api;

import io.interlock.server.problem.Problems;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Requests that wait for something. Each ends with what it waits for, with its client, or with the server, whichever comes first;
 * none takes a thread. Safe for use by many threads.
 */
public final class OpenWaits {

    private final Set<Runnable> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** {@code awaited}, unless the client goes away or the server stops before; then whoever brings it about is told. */
    public <T> CompletionStage<T> until(Call call, CompletionStage<T> awaited) {
        CompletableFuture<T> wait = new CompletableFuture<>();
        Runnable sendAway = () -> wait.completeExceptionally(Problems.stopping().thrown());
        open.add(sendAway);
        awaited.whenComplete((answer, failure) -> {
            if (failure == null) {
                wait.complete(answer);
            } else {
                wait.completeExceptionally(failure);
            }
        });
        call.whenOver(() -> wait.cancel(false));
        CompletionStage<T> over = wait;
        over.whenComplete((answer, failure) -> {
            open.remove(sendAway);
            awaited.toCompletableFuture().cancel(false);
        });
        if (closed) {
            close();
        }
        return wait;
    }

    /** How many wait now. */
    int size() {
        return open.size();
    }

    /** Sends everybody away, with a problem that says that another node may answer. */
    public void close() {
        closed = true;
        open.forEach(Runnable::run);
    }
}
