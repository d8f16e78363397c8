package io.interlock.engine.internal.wait;

import io.interlock.engine.EngineClosedException;
import io.interlock.engine.internal.worker.ActiveRuns;

/** Whether an engine is open for new requests. Safe for use by many threads. */
public final class EngineLifecycle {

    private final ActiveRuns activeRuns;
    private volatile boolean closed;

    public EngineLifecycle(ActiveRuns activeRuns) {
        this.activeRuns = activeRuns;
    }

    /** Refuses new requests from now on. Whether it was open. */
    public synchronized boolean close() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    /**
     * Lets a request in. Requests of work under way are let in after the engine was closed: they are a part of that work.
     *
     * @throws EngineClosedException if the engine is closed
     */
    public void requireOpen() {
        if (closed && !isAtWork()) {
            throw new EngineClosedException();
        }
    }

    /** Whether the current thread does work that is under way here. */
    public boolean isAtWork() {
        return activeRuns.isAtWork(Thread.currentThread());
    }
}
