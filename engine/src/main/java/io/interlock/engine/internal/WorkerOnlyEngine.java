package io.interlock.engine.internal;

import io.interlock.engine.Jobs;
import io.interlock.engine.WorkerEngine;
import io.interlock.engine.WorkerStatus;
import io.interlock.engine.internal.runtime.WorkSettings;
import io.interlock.engine.internal.worker.WorkerAssembly;
import java.util.concurrent.atomic.AtomicBoolean;

/** {@link WorkerEngine} of the parts that do work, and no others. */
public final class WorkerOnlyEngine implements WorkerEngine {

    private final WorkerAssembly work;
    private final AtomicBoolean closed = new AtomicBoolean();

    private WorkerOnlyEngine(WorkSettings settings) {
        work = WorkerAssembly.of(settings);
    }

    /** An engine, working. */
    public static WorkerEngine open(WorkSettings settings) {
        WorkerOnlyEngine engine = new WorkerOnlyEngine(settings);
        try {
            engine.work.workers().start();
        } catch (RuntimeException | Error failure) {
            // The caller gets no engine, so it could not end what has begun.
            engine.close();
            throw failure;
        }
        return engine;
    }

    @Override
    public WorkerStatus workers() {
        return work.workers().status();
    }

    @Override
    public long missedEvents() {
        return work.events().missed();
    }

    @Override
    public Jobs jobs() {
        return work.settings().jobs();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            work.drain(() -> {}, work::close);
        }
    }
}
