package io.interlock.config;

import io.interlock.engine.Job;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A job as configured.
 *
 * @param job its rules, without the handler, which {@link EngineSetup} creates from {@code work}
 * @param probe the check before each attempt, or {@code null}
 * @param triggers of a workflow, each with the priority of the executions it starts; empty for other jobs
 * @param eventId the path of the event id in the body of a webhook: field names separated by dots
 * @param schedule its schedule, or {@code null}
 */
public record JobSettings(
        Job job,
        CompatApi api,
        Work work,
        @Nullable Probe probe,
        Map<String, Integer> triggers,
        String eventId,
        @Nullable ScheduledJob schedule) {

    public JobSettings {
        triggers = Map.copyOf(triggers);
    }

    /** The name of the job. */
    public String name() {
        return job.name().value();
    }

    /** The schedule, if there is one. */
    public Optional<ScheduledJob> clock() {
        return Optional.ofNullable(schedule);
    }

    /**
     * Checks, before each attempt of a job, whether its work still runs in another system.
     *
     * @param question the program or URL to call: a {@link Work.Command} or a {@link Work.Http}
     * @param every how long an attempt waits before it repeats the check
     */
    public record Probe(Work question, Duration every) {}
}
