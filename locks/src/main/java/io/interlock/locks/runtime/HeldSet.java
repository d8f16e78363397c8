package io.interlock.locks.runtime;

import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;

/**
 * The leases this process holds and the calls that may bring more of them, until all have ended. {@link #close} lets in no new call;
 * {@link #shut} takes in no lease any more, not even of a call under way. Safe for use by many threads.
 */
public final class HeldSet<H> {

    private final Set<H> held = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> empty = new CompletableFuture<>();
    private int calls;
    private boolean closed;
    private volatile boolean shut;

    /** Lets a call in, unless this is closed. Each call that was let in ends with {@link #leave}. */
    public synchronized boolean enter() {
        if (!closed) {
            calls++;
        }
        return !closed;
    }

    /** A call has ended. */
    public void leave() {
        synchronized (this) {
            calls--;
        }
        completeIfEmpty();
    }

    /** Takes in a lease whose work begins now. Returns false if it is too late for that. */
    public synchronized boolean add(H lease) {
        return !shut && held.add(lease);
    }

    /** Nothing is left to do for {@code lease}. Returns whether it was here. */
    public boolean remove(H lease) {
        boolean removed;
        synchronized (this) {
            removed = held.remove(lease);
        }
        completeIfEmpty();
        return removed;
    }

    /** The leases held now. */
    public Stream<H> stream() {
        return held.stream();
    }

    /** Lets in no new call. Returns whether it was open. */
    public boolean close() {
        boolean first;
        synchronized (this) {
            first = !closed;
            closed = true;
        }
        completeIfEmpty();
        return first;
    }

    public synchronized boolean isClosed() {
        return closed;
    }

    /** Takes in nothing any more, and returns the leases still held. */
    public synchronized List<H> shut() {
        shut = true;
        return List.copyOf(held);
    }

    public boolean isShut() {
        return shut;
    }

    /**
     * Waits until this is closed and everything in it has ended, for at most {@code time}.
     *
     * @return whether the wait was not interrupted; an interrupt ends the wait, and is for the caller to restore
     */
    public boolean drain(Duration time, Timers timers) {
        if (time.isZero() || empty.isDone()) {
            return true;
        }
        CompletableFuture<Void> over = new CompletableFuture<>();
        Timers.Scheduled limit = timers.after(LocalTime.capped(time), () -> over.complete(null));
        try {
            CompletableFuture.anyOf(over, empty).get();
            return true;
        } catch (InterruptedException stopWaiting) {
            return false;
        } catch (ExecutionException impossible) {
            throw new IllegalStateException(impossible);
        } finally {
            limit.cancel();
        }
    }

    private void completeIfEmpty() {
        boolean last;
        synchronized (this) {
            last = closed && calls == 0 && held.isEmpty();
        }
        if (last) {
            empty.complete(null);
        }
    }
}
