package io.interlock.engine;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.ThisProcess;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.WorkSettings;
import io.interlock.engine.internal.worker.WorkerAssembly;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sets up a {@link WorkerEngine}. Not safe for use by many threads. */
public final class WorkerBuilder {

    private final WorkSource source;
    private Jobs jobs = Jobs.of();
    private Environment environment = Environment.system();
    private @Nullable Holder holder;
    private int slots = WorkSettings.DEFAULT_SLOTS;
    private @Nullable String tenant;
    private Duration pollEvery = Duration.ofSeconds(1);
    private Duration drainTime = Duration.ofSeconds(30);
    private final List<EngineListener> listeners = new ArrayList<>();
    private Supplier<EngineThreads> threads = () -> EngineThreads.of(environment);

    WorkerBuilder(WorkSource source) {
        this.source = source;
    }

    /** What can be done here. */
    public WorkerBuilder jobs(Jobs jobs) {
        this.jobs = jobs;
        return this;
    }

    /** Clocks, threads and chance, instead of the process's own. */
    public WorkerBuilder environment(Environment environment) {
        this.environment = environment;
        return this;
    }

    /** Who this process is, instead of its machine's name and process id. */
    public WorkerBuilder holder(Holder holder) {
        this.holder = holder;
        return this;
    }

    /** Like {@link EngineBuilder#slots}. */
    public WorkerBuilder slots(int slots) {
        this.slots = slots;
        return this;
    }

    /** Whose runs are done here; those of every tenant unless said. */
    public WorkerBuilder workFor(String tenant) {
        this.tenant = tenant;
        return this;
    }

    /** How often workers look by themselves, give or take a fifth; wake-ups are usually faster. */
    public WorkerBuilder pollEvery(Duration pollEvery) {
        this.pollEvery = pollEvery;
        return this;
    }

    /** How long {@link WorkerEngine#close()} waits for work to end by itself. */
    public WorkerBuilder drainTime(Duration drainTime) {
        this.drainTime = drainTime;
        return this;
    }

    /** Tells {@code listener} what happens. */
    public WorkerBuilder listener(EngineListener listener) {
        listeners.add(listener);
        return this;
    }

    /** Where everything runs that has a thread of its own otherwise: for tests that hold the time in their hands. */
    WorkerBuilder threads(EngineThreads threads) {
        this.threads = () -> threads;
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

    WorkSettings settings() {
        return new WorkSettings(
                source,
                jobs,
                environment,
                holder != null ? holder : ThisProcess.holder(environment.random()),
                slots,
                tenant,
                pollEvery,
                drainTime,
                listeners,
                threads);
    }

    /** {@link WorkerEngine} of the parts that do work, and no others. */
    private static final class WorkerOnlyEngine implements WorkerEngine {

        private final WorkerAssembly work;
        private final AtomicBoolean closed = new AtomicBoolean();

        private WorkerOnlyEngine(WorkSettings settings) {
            work = WorkerAssembly.of(settings);
        }

        /** An engine, working. */
        static WorkerEngine open(WorkSettings settings) {
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
}
