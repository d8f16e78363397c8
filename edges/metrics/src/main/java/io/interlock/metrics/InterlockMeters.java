package io.interlock.metrics;

import io.interlock.InvalidSettingException;
import io.interlock.engine.EngineListener;
import io.interlock.engine.Job;
import io.interlock.engine.RunEngine;
import io.interlock.engine.WorkerEngine;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Meters of one engine and its store. Names and tags are in {@code docs/metrics.md}. Safe for use by many threads.
 *
 * <pre>{@code
 * InterlockMeters meters = InterlockMeters.on(registry);
 * RunEngine engine = RunEngine.builder(meters.around(store)).jobs(jobs).listener(meters.listener()).build();
 * meters.watch(engine, Environment.system());
 * }</pre>
 */
public final class InterlockMeters implements AutoCloseable {

    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);
    private static final int MOST_TENANTS = 10_000;

    private final MeterRegistry registry;
    private final Labels labels;
    private final RunMeters runs;
    private volatile @Nullable RunGauges gauges;

    private InterlockMeters(MeterRegistry registry, int mostTenants) {
        this.registry = registry;
        this.labels = new Labels(registry, mostTenants);
        this.runs = new RunMeters(registry, labels);
    }

    /** Meters told apart by job. */
    public static InterlockMeters on(MeterRegistry registry) {
        return new InterlockMeters(registry, 0);
    }

    /**
     * Meters told apart by job, and all but those of stages by tenant as well, up to {@code mostTenants} of them: those that come later
     * are counted together as {@code _other}.
     */
    public static InterlockMeters byTenant(MeterRegistry registry, int mostTenants) {
        if (mostTenants < 1 || mostTenants > MOST_TENANTS) {
            throw new InvalidSettingException(
                    "number of tenants with meters of their own",
                    mostTenants,
                    "must be from 1 to " + MOST_TENANTS,
                    "leave it out to count all tenants together");
        }
        return new InterlockMeters(registry, mostTenants);
    }

    /** The store, with every step of it timed. */
    public RunStore around(RunStore store) {
        return MeteredStore.of(store, registry);
    }

    /** What to tell the engine's events to. */
    public EngineListener listener() {
        return runs;
    }

    /** Reads from now on how much waits and runs, until this is closed. */
    public void watch(RunEngine engine, Environment environment) {
        watch(engine, environment, LOOK_EVERY);
    }

    void watch(RunEngine engine, Environment environment, Duration lookEvery) {
        know(engine);
        gauges = new RunGauges(engine, registry, labels, environment, lookEvery);
    }

    /** Knows the jobs of {@code engine}, and asks nobody how much waits and runs: for one that only works. */
    public void know(WorkerEngine engine) {
        labels.know(engine.jobs());
        for (Job job : engine.jobs().all()) {
            job.limits()
                    .runtimeLimit()
                    .ifPresent(limit -> Gauge.builder("interlock.job.max.runtime", limit, Duration::toSeconds)
                            .description("How long an attempt of the job may take")
                            .baseUnit("seconds")
                            .tags(labels.of(job.name().value()))
                            .strongReference(true)
                            .register(registry));
        }
        FunctionCounter.builder("interlock.events.missed", engine, WorkerEngine::missedEvents)
                .description("Events these meters may lack because somebody listened too slowly")
                .register(registry);
        Gauge.builder("interlock.build.info", () -> 1)
                .description("1; the version is in the tag")
                .tag("version", version())
                .register(registry);
    }

    /**
     * Tells through which API each job is started, so that rules can tell the jobs of one from those of another.
     *
     * @param apis the name of an API by job
     */
    public void describe(Map<String, String> apis) {
        apis.forEach((job, api) -> Gauge.builder("interlock.job.info", () -> 1)
                .description("1; through which API a job is started is in the tag")
                .tags(labels.of(job))
                .tag("api", api)
                .register(registry));
    }

    private static String version() {
        return Objects.requireNonNullElse(InterlockMeters.class.getPackage().getImplementationVersion(), "dev");
    }

    @Override
    public void close() {
        RunGauges open = gauges;
        if (open != null) {
            open.close();
        }
    }
}
