package io.interlock.engine;

import io.interlock.ConflictPolicy;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.Transition;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Describes a {@link Job}. Not safe for use by many threads. */
public final class JobBuilder {

    /** How long work that was told to stop may take to do so, unless a job says otherwise. */
    public static final Duration DEFAULT_GRACE = Duration.ofSeconds(10);

    private final JobName name;
    private @Nullable RunHandler handler;
    private ConflictPolicy policy = ConflictPolicy.REJECT;
    private Job.ConflictRetry conflictRetry = Job.ConflictRetry.NONE;
    private Duration lease = Duration.ofSeconds(30);
    private Duration lockDelay = Duration.ZERO;
    private @Nullable Duration maxWait;
    private @Nullable Duration maxRuntime;
    private Duration expiryGrace = Duration.ZERO;
    private LineLimits line = LineLimits.NONE;
    private final Map<String, @Nullable Duration> stages = new LinkedHashMap<>();
    private RetryPlan retry = RetryPlan.NONE;
    private final Set<Class<? extends Throwable>> permanent = new HashSet<>();
    private final Set<Class<? extends Throwable>> passing = new HashSet<>();
    private @Nullable Transition guard;
    private Duration grace = DEFAULT_GRACE;

    JobBuilder(JobName name) {
        this.name = name;
    }

    /** Does the work in this process. Without one, others do: remote workers, or the caller. */
    public JobBuilder handler(RunHandler handler) {
        this.handler = handler;
        return this;
    }

    /** What happens if the key is taken; {@code REJECT} unless said. */
    public JobBuilder onConflict(ConflictPolicy policy) {
        this.policy = policy;
        return this;
    }

    /** How often a submission that would be refused is made again, and after how long; never unless said. */
    public JobBuilder conflictRetry(int times, Duration delay) {
        this.conflictRetry = new Job.ConflictRetry(times, delay);
        return this;
    }

    /** How long a lease lives without a heartbeat; 30 s unless said. */
    public JobBuilder lease(Duration ttl) {
        this.lease = ttl;
        return this;
    }

    /** How long the key stays closed if a lease ends by expiry or force; 15 s for resources that check no tokens. */
    public JobBuilder lockDelay(Duration lockDelay) {
        this.lockDelay = lockDelay;
        return this;
    }

    /** How long a run waits for its turn, or for a worker; for ever unless said. */
    public JobBuilder maxWait(Duration maxWait) {
        this.maxWait = maxWait;
        return this;
    }

    /** How long an attempt may take; for ever unless said. */
    public JobBuilder maxRuntime(Duration maxRuntime) {
        this.maxRuntime = maxRuntime;
        return this;
    }

    /** How long a run whose lease ran out is not declared lost, and its key kept closed. */
    public JobBuilder expiryGrace(Duration expiryGrace) {
        this.expiryGrace = expiryGrace;
        return this;
    }

    /** How many may wait for one key. */
    public JobBuilder queueCap(int queueCap) {
        this.line = new LineLimits(queueCap, line.tenantMaxRunning());
        return this;
    }

    /** A stage of the work, after those named before. */
    public JobBuilder stage(String stage) {
        return stage(stage, null);
    }

    /** A stage of the work, and how long it may take before listeners are told; {@code null}: as long as it likes. */
    public JobBuilder stage(String stage, @Nullable Duration budget) {
        if (stages.containsKey(stage)) {
            throw new InvalidSettingException("stage", stage, "is named twice", "name each stage once");
        }
        stages.put(stage, budget);
        return this;
    }

    /** How often a run is tried; once unless said. */
    public JobBuilder retry(RetryPlan retry) {
        this.retry = retry;
        return this;
    }

    /** An exception that no further attempt would mend. */
    public JobBuilder permanent(Class<? extends Throwable> kind) {
        permanent.add(kind);
        return this;
    }

    /** An exception that a further attempt may mend, though it is of a kind that is permanent. */
    public JobBuilder retryOn(Class<? extends Throwable> kind) {
        passing.add(kind);
        return this;
    }

    /** The states of a resource the job may start from, and those it brings about. */
    public JobBuilder transition(Transition guard) {
        this.guard = guard;
        return this;
    }

    /**
     * How long work that was told to stop may take to do so; {@link #DEFAULT_GRACE} unless said. Work that takes longer counts as stuck, so
     * a command gets KILL a quarter of this before its end, and at most 5 s before.
     */
    public JobBuilder grace(Duration grace) {
        this.grace = grace;
        return this;
    }

    /**
     * The job.
     *
     * @throws InvalidSettingException if a setting is out of its limits or contradicts another
     */
    public Job build() {
        return new Job(
                name,
                handler,
                policy,
                conflictRetry,
                new LeaseTerms(lease, lockDelay),
                new RunLimits(maxWait, maxRuntime, expiryGrace),
                line,
                stages,
                retry,
                new Job.FailureKinds(permanent, passing),
                guard,
                grace);
    }
}
