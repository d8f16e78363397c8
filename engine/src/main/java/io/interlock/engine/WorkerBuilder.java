package io.interlock.engine;

import io.interlock.InvalidSettingException;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.internal.worker.WorkerAssembly;
import java.util.concurrent.atomic.AtomicBoolean;

/** Sets up a {@link WorkerEngine}. Not safe for use by many threads. */
public final class WorkerBuilder extends WorkBuilder<WorkerBuilder> {

    WorkerBuilder(WorkSource source) {
        super(source);
    }

    @Override
    WorkerBuilder self() {
        return this;
    }

    /**
     * The engine, working.
     *
     * @throws InvalidSettingException if a setting is out of its limits
     */
    public WorkerEngine build() {
        return WorkerOnlyEngine.open(settings());
    }

    /** {@link WorkerEngine} of the parts that do work, and no others. */
    private static final class WorkerOnlyEngine implements WorkerEngine {

        private final WorkerAssembly work;
        private final AtomicBoolean closed = new AtomicBoolean();

        private WorkerOnlyEngine(EngineSettings.WorkSettings settings) {
            work = WorkerAssembly.of(settings);
        }

        /** An engine, working. */
        static WorkerEngine open(EngineSettings.WorkSettings settings) {
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
        public WorkerEngine.Status workers() {
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
}
