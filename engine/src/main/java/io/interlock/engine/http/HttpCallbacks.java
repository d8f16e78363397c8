package io.interlock.engine.http;

import io.interlock.FencingToken;
import io.interlock.RunId;
import io.interlock.run.Ending;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where work that was answered with 202 is waited for in this process, and where its end is announced.
 *
 * <p>A callback that reaches another process is no less good: that ends the run in the store by its lease and token, upon which the
 * one who waits here is told to stop, and what it says then does not count. So nothing is lost with this registry; it only saves
 * the wait for the next heartbeat. Safe for use by many threads.
 */
public final class HttpCallbacks {

    private record Waiting(RunId run, FencingToken token) {}

    private final ConcurrentHashMap<Waiting, CompletableFuture<Ending>> waiting = new ConcurrentHashMap<>();

    /**
     * Announces an end.
     *
     * @param token that of the attempt; an end of an attempt before is nobody's any more
     * @return whether somebody waits for it here, and has not been told before
     */
    public boolean complete(RunId run, FencingToken token, Ending ending) {
        CompletableFuture<Ending> waiter = waiting.get(new Waiting(run, token));
        return waiter != null && waiter.complete(ending);
    }

    /** Begins to wait, before the request is sent: the callback may be faster than the answer. */
    CompletableFuture<Ending> expect(RunId run, FencingToken token) {
        return waiting.computeIfAbsent(new Waiting(run, token), unused -> new CompletableFuture<>());
    }

    /** Waits no longer. */
    void forget(RunId run, FencingToken token) {
        waiting.remove(new Waiting(run, token));
    }

    /** How many are waited for. */
    public int size() {
        return waiting.size();
    }
}
