package io.interlock.engine.internal.runtime;

import io.interlock.DurationText;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.engine.EngineEvent.EngineListener;
import io.interlock.engine.EngineTracer;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.WorkerEngine.WorkSource;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.notify.NotifyRule;
import io.interlock.engine.schedule.MaintenanceWindows;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import io.interlock.run.JobName;
import io.interlock.run.Retention;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.Summary.OpenRuns;
import io.interlock.spi.run.RunStore;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What an engine on a store is set up with. */
public record EngineSettings(
        RunStore store,
        WorkSettings work,
        Duration sweepEvery,
        Duration keepIdempotency,
        Map<String, Integer> tenantLimits,
        OpenRuns maxOpen,
        Background background,
        boolean closesStore) {

    public static final long NO_LIMIT = Long.MAX_VALUE;

    public static final String OPEN_RUNS = "limits.open-runs";

    public static final String OPEN_PAYLOAD = "limits.open-payload";

    private static final Duration SHORTEST_MEMORY = Duration.ofHours(24);

    public EngineSettings {
        tenantLimits = Map.copyOf(tenantLimits);
        if (maxOpen.count() < 1 || maxOpen.payload() < 1) {
            boolean runs = maxOpen.count() < 1;
            throw new InvalidSettingException(
                    runs ? OPEN_RUNS : OPEN_PAYLOAD,
                    runs ? maxOpen.count() : maxOpen.payload(),
                    "must be at least 1",
                    "leave it out for no limit");
        }
        WorkSettings.requirePositive("sweep-every", sweepEvery, "10s suits most stores");
        if (keepIdempotency.compareTo(SHORTEST_MEMORY) < 0) {
            throw new InvalidSettingException(
                    "keep-idempotency",
                    DurationText.format(keepIdempotency),
                    "is below " + DurationText.format(SHORTEST_MEMORY),
                    "a request may be repeated a day later");
        }
        for (Job job : work.jobs().all()) {
            job.terms().within(store.capabilities().maxLease());
        }
    }

    /** The limits a run of {@code job} is let in under. */
    public LineLimits limits(Job job, String tenant) {
        int limit = tenantLimits.getOrDefault(tenant, Integer.MAX_VALUE);
        return new LineLimits(job.line().queueCap(), Math.min(limit, job.line().tenantMaxRunning()));
    }

    /**
     * What an engine does beside its runs.
     *
     * @param kept whether it seals and watches the audit log, counts refusals and notes its workers
     */
    public record Background(
            boolean kept,
            Retention retention,
            @Nullable AuditKey auditKey,
            List<ScheduledJob> schedules,
            List<MaintenanceWindows.NoStart> windows,
            List<NotifyRule> rules,
            List<String> privateNetworks) {

        public Background {
            schedules = List.copyOf(schedules);
            windows = List.copyOf(windows);
            rules = List.copyOf(rules);
            privateNetworks = List.copyOf(privateNetworks);
        }
    }

    /**
     * What workers are set up with.
     *
     * @param threads where everything runs; asked for once the settings are known to be good
     */
    public record WorkSettings(
            WorkSource source,
            Jobs jobs,
            Environment environment,
            Holder holder,
            int slots,
            @Nullable String tenant,
            Duration pollEvery,
            Duration drainTime,
            List<EngineListener> listeners,
            @Nullable EngineTracer tracer,
            Supplier<EngineThreads> threads) {

        public static final int DEFAULT_SLOTS = 16;

        private static final int MOST_SLOTS = 10_000;

        public WorkSettings {
            listeners = List.copyOf(listeners);
            if (slots < 0 || slots > MOST_SLOTS) {
                throw new InvalidSettingException(
                        "slots", slots, "must be from 0 to " + MOST_SLOTS, "0 means that no work is done here");
            }
            requirePositive("poll-every", pollEvery, "1s suits most stores");
            if (drainTime.isNegative()) {
                throw new InvalidSettingException(
                        "drain-time", DurationText.format(drainTime), "is below 0s", "choose 0s not to wait at all");
            }
        }

        /** What is known of {@code job}, which need not be defined for callers. */
        public Job job(JobName job) {
            return jobs.find(job).orElseGet(() -> Job.named(job.value()).build());
        }

        static void requirePositive(String setting, Duration value, String nextStep) {
            if (value.isNegative() || value.isZero()) {
                throw new InvalidSettingException(setting, DurationText.format(value), "must be above 0s", nextStep);
            }
        }
    }
}
