package io.interlock.metrics;

import io.interlock.InvalidSettingException;
import io.interlock.engine.EngineEvent.EngineListener;
import io.interlock.engine.Job;
import io.interlock.engine.RunEngine;
import io.interlock.engine.WorkerEngine;
import io.interlock.locks.LeaseClient;
import io.interlock.spi.LeaseStore;
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
 * Meters of one engine and its store. Names and tags are in {@code docs/metrics.md}. Thread-safe.
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

    /** Meters by job. */
    public static InterlockMeters on(MeterRegistry registry) {
        return new InterlockMeters(registry, 0);
    }

    /**
     * Meters by job, and except for stages by tenant, up to {@code mostTenants} tenants: further tenants are counted
     * together as {@code _other}.
     */
    public static InterlockMeters byTenant(MeterRegistry registry, int mostTenants) {
        if (mostTenants < 1 || mostTenants > MOST_TENANTS) {
            throw new InvalidSettingException(
                    "number of tenants in metrics",
                    mostTenants,
                    "must be from 1 to " + MOST_TENANTS,
                    "remove it to count all tenants together");
        }
        return new InterlockMeters(registry, mostTenants);
    }

    /** Wraps the store to time every step. */
    public RunStore around(RunStore store) {
        return MeteredStore.of(store, RunStore.class, registry);
    }

    /** Opens the store at {@code url} for leases alone, and times every step. Closing the client closes the store. */
    public LeaseClient open(String url, Environment environment) {
        return around(LeaseClient.open(url, environment));
    }

    /** These leases, with every step timed. Closing the one that is returned closes the store. */
    public LeaseClient around(LeaseClient leases) {
        return leases.around(store -> MeteredStore.of(store, LeaseStore.class, registry));
    }

    /** The listener for the engine's events. */
    public EngineListener listener() {
        return runs;
    }

    /** Starts to read the counts of waiting and running runs, until this is closed. */
    public void watch(RunEngine engine, Environment environment) {
        watch(engine, environment, LOOK_EVERY);
    }

    void watch(RunEngine engine, Environment environment, Duration lookEvery) {
        know(engine);
        gauges = new RunGauges(engine, registry, labels, environment, lookEvery);
    }

    /** Registers the jobs of {@code engine} without reading counts of runs, for an engine that only executes runs. */
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
                .description("Events that these meters may have missed because a listener was too slow")
                .register(registry);
        Gauge.builder("interlock.build.info", () -> 1)
                .description("Always 1; the tag has the version")
                .tag("version", version())
                .register(registry);
    }

    /**
     * Publishes the API of each job, so that rules can select the jobs of one API.
     *
     * @param apis the name of an API by job
     */
    public void describe(Map<String, String> apis) {
        apis.forEach((job, api) -> Gauge.builder("interlock.job.info", () -> 1)
                .description("Always 1; the tag has the API that starts the job")
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
