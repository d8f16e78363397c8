package io.interlock.engine.internal;

import io.interlock.engine.Jobs;
import io.interlock.engine.WorkerEngine;
import io.interlock.engine.WorkerStatus;
import java.util.concurrent.atomic.AtomicBoolean;

/** {@link WorkerEngine} that is a workshop and nothing else. */
public final class WorkerOnlyEngine implements WorkerEngine {

    private final Workshop shop;
    private final AtomicBoolean closed = new AtomicBoolean();

    private WorkerOnlyEngine(WorkSettings settings) {
        // Nobody here waits for the end of a run.
        shop = new Workshop(settings, run -> {});
    }

    /** An engine, working. */
    public static WorkerEngine open(WorkSettings settings) {
        WorkerOnlyEngine engine = new WorkerOnlyEngine(settings);
        try {
            engine.shop.workers().start();
        } catch (RuntimeException | Error failure) {
            // Nobody gets hold of it, so nobody could end what has begun.
            engine.close();
            throw failure;
        }
        return engine;
    }

    @Override
    public WorkerStatus workers() {
        return shop.workers().status();
    }

    @Override
    public long missedEvents() {
        return shop.events().missed();
    }

    @Override
    public Jobs jobs() {
        return shop.settings().jobs();
    }

    @Override
    public void close() {
        if (closed.compareAndSet(false, true)) {
            new GracefulShutdown(shop, () -> {}, shop::close).run();
        }
    }
}
