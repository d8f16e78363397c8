package io.interlock.config;

import io.interlock.ConflictPolicy;
import io.interlock.run.Resource;
import io.interlock.run.RetryPlan;
import io.interlock.run.Transition;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** An API that can start jobs in addition to REST, with its defaults for jobs. */
public enum CompatApi {
    /** Pipelines of tenants: a second start gets the current run. */
    PIPELINES(ConflictPolicy.JOIN, "pipeline/", Duration.ofHours(1)),
    /** Phases of flows: a second start is skipped. */
    FLOWS(ConflictPolicy.SKIP, null, Duration.ofMinutes(5)),
    /** Ingestion of events: a second start is refused. */
    INGESTION(ConflictPolicy.REJECT, null, Duration.ofMinutes(5)),
    /** Workflows started by webhooks: a second start is refused. */
    WORKFLOWS(ConflictPolicy.REJECT, "workflow/", Duration.ofHours(1)),
    /** Jobs on clusters: a second one waits in the queue. */
    CLUSTERS(ConflictPolicy.QUEUE, null, null),
    /** REST only. */
    NONE(ConflictPolicy.REJECT, "", null);

    private final ConflictPolicy policy;
    private final @Nullable String keys;
    private final @Nullable Duration maxRuntime;

    CompatApi(ConflictPolicy policy, @Nullable String keys, @Nullable Duration maxRuntime) {
        this.policy = policy;
        this.keys = keys;
        this.maxRuntime = maxRuntime;
    }

    /** Its name in settings. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** What happens to a newcomer. */
    public ConflictPolicy policy() {
        return policy;
    }

    /** How long an attempt may take, if limited. */
    public Optional<Duration> maxRuntime() {
        return Optional.ofNullable(maxRuntime);
    }

    /** The key of a job; empty if it depends on the request. */
    public Optional<String> keyOf(String job) {
        return Optional.ofNullable(keys).map(prefix -> prefix + job);
    }

    /**
     * How long a run waits for its turn or for a worker, if its attempts may take {@code maxRuntime}: the same time
     * for APIs whose locks have a timeout from the start, even before a worker claims the run; unlimited for the
     * others.
     */
    public @Nullable Duration maxWait(@Nullable Duration maxRuntime) {
        return this == CLUSTERS || this == NONE ? null : maxRuntime;
    }

    /** The default transition of jobs. */
    public Optional<Transition> transition() {
        return this == INGESTION
                ? Optional.of(new Transition(
                        "event",
                        Set.of(Resource.UNTOUCHED, "laps_full"),
                        "ingesting",
                        "laps_full",
                        Transition.PREVIOUS))
                : Optional.empty();
    }

    /** The default expiry grace of jobs. */
    public Duration expiryGrace() {
        return this == CLUSTERS ? Duration.ofMinutes(5) : Duration.ZERO;
    }

    /** The default retries of jobs. */
    public RetryPlan retry() {
        return this == CLUSTERS ? new RetryPlan(3, Duration.ofMinutes(5), 2, Duration.ofMinutes(30)) : RetryPlan.NONE;
    }
}
