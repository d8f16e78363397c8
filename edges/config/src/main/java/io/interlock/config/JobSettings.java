package io.interlock.config;

import io.interlock.engine.Job;
import io.interlock.engine.schedule.ScheduledJob;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A job as configured.
 *
 * @param job its rules; without the handler, which {@link EngineSetup} makes from {@code work}
 * @param api the contract it can be started through
 * @param work how it is done
 * @param probe what is asked before each attempt, or {@code null}
 * @param triggers of a workflow, each with the priority of what it starts; empty for others
 * @param eventId where the body that triggers a workflow has the id of its event: names of fields with dots between them
 * @param schedule when it starts by the clock, or {@code null}
 */
public record JobSettings(
        Job job,
        CompatApi api,
        Work work,
        @Nullable Probe probe,
        Map<String, Integer> triggers,
        String eventId,
        @Nullable ScheduledJob schedule) {

    /** Copies the triggers. */
    public JobSettings {
        triggers = Map.copyOf(triggers);
    }

    /** Its name. */
    public String name() {
        return job.name().value();
    }

    /** What is asked before each attempt, if anything is. */
    public Optional<Probe> asks() {
        return Optional.ofNullable(probe);
    }

    /** When it starts by the clock, if it does. */
    public Optional<ScheduledJob> clock() {
        return Optional.ofNullable(schedule);
    }
}
