package io.interlock.run;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The request for a run: the work and its rules. It does not change during the life of the run.
 *
 * @param policy what happens if the key is taken
 * @param execution the kind of process that executes it
 * @param priority from −100 to 100 when it is submitted; the higher goes first. A run that was moved to the front has more
 * @param parameters JSON text for the work, at most 64 KiB
 * @param labels shown to users, at most 20 of 100 bytes each, name and value together
 * @param limits its time limits in addition to the lease
 * @param guard its guard, or {@code null} if it changes no resource
 */
public record RunSpec(
        JobName job,
        ConflictPolicy policy,
        Execution execution,
        int priority,
        String parameters,
        Map<String, String> labels,
        LeaseTerms terms,
        RunLimits limits,
        RetryPlan retry,
        @Nullable Transition guard,
        Origin origin) {

    /** The highest priority of a submission; the lowest is its negative. */
    public static final int MAX_PRIORITY = 100;

    private static final int MAX_LABELS = 20;
    private static final int MAX_LABEL = 100;

    public RunSpec {
        if (priority < -MAX_PRIORITY) {
            throw outOfRange(priority);
        }
        RunTexts.body("parameters", parameters);
        labels = Map.copyOf(labels);
        if (labels.size() > MAX_LABELS) {
            throw new InvalidSettingException(
                    "number of labels", labels.size(), "is above the limit of " + MAX_LABELS, "remove some");
        }
        labels.forEach((name, value) -> RunTexts.limit("label " + name, name + value, MAX_LABEL));
    }

    /** This spec, as it may be submitted. */
    public RunSpec submittable() {
        if (priority > MAX_PRIORITY) {
            throw outOfRange(priority);
        }
        return this;
    }

    private static InvalidSettingException outOfRange(int priority) {
        return new InvalidSettingException(
                "priority", priority, "must be from -" + MAX_PRIORITY + " to " + MAX_PRIORITY, "0 is the default");
    }

    /** One attempt of {@code job} by a worker, refused if the key is taken, under leases of 30 s. */
    public static RunSpec of(JobName job, String submitter) {
        return new RunSpec(
                job,
                ConflictPolicy.REJECT,
                Execution.WORKER,
                0,
                "{}",
                Map.of(),
                LeaseTerms.of(Duration.ofSeconds(30)),
                RunLimits.NONE,
                RetryPlan.NONE,
                null,
                Origin.of(submitter));
    }

    public RunSpec policy(ConflictPolicy policy) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    public RunSpec execution(Execution execution) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    public RunSpec priority(int priority) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    public RunSpec terms(LeaseTerms terms) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    public RunSpec limits(RunLimits limits) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    public RunSpec retry(RetryPlan retry) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    public RunSpec guard(Transition guard) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    public RunSpec parameters(String parameters) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    public RunSpec labels(Map<String, String> labels) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    public RunSpec origin(Origin origin) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    /** The guard, if it changes a resource. */
    public Optional<Transition> transition() {
        return Optional.ofNullable(guard);
    }

    /** The kind of process that executes a run. */
    public enum Execution {
        /** A worker claims it once it has the key. */
        WORKER,
        /** The caller that submitted it executes it. */
        CALLER
    }

    /**
     * Where a run comes from. It has no effect on decisions.
     *
     * @param reason the submitter's reason, or {@code null}
     * @param correlation the correlation id for the audit log, or {@code null}
     * @param trace the W3C {@code traceparent} it was submitted under, or {@code null}
     * @param address the address of the client, for the audit log, or {@code null}
     */
    public record Origin(
            String submitter,
            @Nullable String reason,
            @Nullable String correlation,
            @Nullable String trace,
            @Nullable String address) {

        public Origin {
            RunTexts.require("submitter", submitter, "name the submitter");
            if (reason != null) {
                RunTexts.require("reason", reason, "remove it, or give a reason for the run");
            }
            if (correlation != null) {
                RunTexts.require("correlation", correlation, "remove it, or give a correlation id");
            }
            if (trace != null) {
                RunTexts.require("traceparent", trace, "remove it, or pass on the header unchanged");
            }
        }

        /** An origin with only a submitter. */
        public static Origin of(String submitter) {
            return new Origin(submitter, null, null, null, null);
        }

        /** The submitter as an actor of the audit log. */
        public Actor actor() {
            return new Actor(submitter, correlation, address);
        }
    }
}
