package io.interlock.engine;

import io.interlock.Holder;
import io.interlock.ThisProcess;
import io.interlock.engine.EngineEvent.EngineListener;
import io.interlock.engine.WorkerEngine.WorkSource;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What workers are set up with, whether they are all of an engine or a part of it. Not safe for use by many threads.
 *
 * @param <B> the builder itself
 */
abstract class WorkBuilder<B extends WorkBuilder<B>> {

    private final WorkSource source;
    private Jobs jobs = Jobs.of();
    private Environment environment = Environment.system();
    private @Nullable Holder holder;
    private int slots = EngineSettings.WorkSettings.DEFAULT_SLOTS;
    private @Nullable String tenant;
    private Duration pollEvery = Duration.ofSeconds(1);
    private Duration drainTime = Duration.ofSeconds(30);
    private final List<EngineListener> listeners = new ArrayList<>();
    private @Nullable EngineTracer tracer;
    private Supplier<EngineThreads> threads = () -> EngineThreads.of(environment);

    WorkBuilder(WorkSource source) {
        this.source = source;
    }

    /** What can be submitted and done here. */
    public B jobs(Jobs jobs) {
        this.jobs = jobs;
        return self();
    }

    /** Clocks, threads and chance, instead of the process's own. */
    public B environment(Environment environment) {
        this.environment = environment;
        return self();
    }

    /** Who this process is, instead of its machine's name and process id. */
    public B holder(Holder holder) {
        this.holder = holder;
        return self();
    }

    /**
     * How many runs are done here at once; 16 unless said, 0 for none. Runs that {@linkplain RunHandler#takesSlot take no
     * slot} come on top: at most eight times as many of each such job.
     */
    public B slots(int slots) {
        this.slots = slots;
        return self();
    }

    /** Whose runs are done here; those of every tenant unless said. */
    public B workFor(String tenant) {
        this.tenant = tenant;
        return self();
    }

    /** How often workers and waiters look by themselves, give or take a fifth; wake-ups are usually faster. */
    public B pollEvery(Duration pollEvery) {
        this.pollEvery = pollEvery;
        return self();
    }

    /** How long {@code close()} waits for work to end by itself. */
    public B drainTime(Duration drainTime) {
        this.drainTime = drainTime;
        return self();
    }

    /** Tells {@code listener} what happens. */
    public B listener(EngineListener listener) {
        listeners.add(listener);
        return self();
    }

    /** Lets {@code tracer} follow submissions and attempts. */
    public B tracer(EngineTracer tracer) {
        this.tracer = tracer;
        return listener(tracer);
    }

    /** Where everything runs that has a thread of its own otherwise: for tests that hold the time in their hands. */
    B threads(EngineThreads threads) {
        this.threads = () -> threads;
        return self();
    }

    /** This builder, so that calls can be chained. */
    abstract B self();

    EngineSettings.WorkSettings settings() {
        return new EngineSettings.WorkSettings(
                source,
                jobs,
                environment,
                holder != null ? holder : ThisProcess.holder(environment.random()),
                slots,
                tenant,
                pollEvery,
                drainTime,
                listeners,
                tracer,
                threads);
    }
}
