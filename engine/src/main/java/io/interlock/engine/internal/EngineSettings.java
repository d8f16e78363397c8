package io.interlock.engine.internal;

import io.interlock.DurationText;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.engine.EngineListener;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.run.LineLimits;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What an engine is set up with.
 *
 * @param store where the runs are
 * @param jobs what can be submitted and done here
 * @param environment clocks, threads and chance
 * @param holder who this process is
 * @param slots how many runs are done here at once
 * @param workerTenant whose runs are done here, or {@code null} for those of every tenant
 * @param pollEvery how often workers and those who wait look by themselves
 * @param sweepEvery how often the janitor makes its round
 * @param drainTime how long closing waits for work to end by itself
 * @param keepIdempotency how long an idempotency key counts
 * @param tenantLimits how many runs of a tenant may be under way at once, where that is limited
 * @param listeners who hears of what happens
 * @param books what is done beside runs
 * @param threads where everything runs
 * @param closesStore whether the store is closed with the engine
 */
public record EngineSettings(
        RunStore store,
        Jobs jobs,
        Environment environment,
        Holder holder,
        int slots,
        @Nullable String workerTenant,
        Duration pollEvery,
        Duration sweepEvery,
        Duration drainTime,
        Duration keepIdempotency,
        Map<String, Integer> tenantLimits,
        List<EngineListener> listeners,
        BookSettings books,
        EngineThreads threads,
        boolean closesStore) {

    /** How many runs are done at once unless said otherwise. */
    public static final int DEFAULT_SLOTS = 16;

    private static final int MOST_SLOTS = 10_000;
    private static final Duration SHORTEST_MEMORY = Duration.ofHours(24);

    /** Checks the settings, alone and against the store. */
    public EngineSettings {
        tenantLimits = Map.copyOf(tenantLimits);
        listeners = List.copyOf(listeners);
        if (slots < 0 || slots > MOST_SLOTS) {
            throw new InvalidSettingException(
                    "slots", slots, "must be from 0 to " + MOST_SLOTS, "0 means that no work is done here");
        }
        requirePositive("poll-every", pollEvery, "1s suits most stores");
        requirePositive("sweep-every", sweepEvery, "10s suits most stores");
        if (drainTime.isNegative()) {
            throw new InvalidSettingException(
                    "drain-time", DurationText.format(drainTime), "is below 0s", "choose 0s not to wait at all");
        }
        if (keepIdempotency.compareTo(SHORTEST_MEMORY) < 0) {
            throw new InvalidSettingException(
                    "keep-idempotency",
                    DurationText.format(keepIdempotency),
                    "is below " + DurationText.format(SHORTEST_MEMORY),
                    "whoever repeats a request may do so a day later");
        }
        for (Job job : jobs.all()) {
            job.terms().within(store.capabilities().maxLease());
        }
    }

    /** The limits a run of {@code job} is let in under. */
    LineLimits line(Job job, String tenant) {
        int limit = tenantLimits.getOrDefault(tenant, Integer.MAX_VALUE);
        return new LineLimits(job.line().queueCap(), Math.min(limit, job.line().tenantMaxRunning()));
    }

    private static void requirePositive(String setting, Duration value, String nextStep) {
        if (value.isNegative() || value.isZero()) {
            throw new InvalidSettingException(setting, DurationText.format(value), "must be above 0s", nextStep);
        }
    }
}
