package io.interlock.run;

import io.interlock.ConflictPolicy;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is asked for: the work, and the rules it is done under. It stays as it was submitted for the whole life of the run.
 *
 * @param job the kind of work
 * @param policy what happens if the key is taken
 * @param execution who does the work
 * @param priority from −100 to 100; the higher goes first
 * @param parameters JSON text for the work, at most 64 KiB
 * @param labels for people, at most 20 of 100 bytes each, name and value together
 * @param terms of the lease it runs under
 * @param limits its clocks beside the lease
 * @param retry how often it is tried
 * @param guard the states it may start from, or {@code null} if it moves no resource
 * @param origin who asks, and why
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

    /** The highest priority; the lowest is its opposite. */
    public static final int MAX_PRIORITY = 100;

    private static final int MAX_LABELS = 20;
    private static final int MAX_LABEL = 100;

    /** Checks the limits. */
    public RunSpec {
        if (Math.abs(priority) > MAX_PRIORITY) {
            throw new InvalidSettingException(
                    "priority", priority, "must be from -" + MAX_PRIORITY + " to " + MAX_PRIORITY, "0 is ordinary");
        }
        RunTexts.body("parameters", parameters);
        labels = Map.copyOf(labels);
        if (labels.size() > MAX_LABELS) {
            throw new InvalidSettingException(
                    "number of labels", labels.size(), "is above the limit of " + MAX_LABELS, "leave some out");
        }
        labels.forEach((name, value) -> RunTexts.limit("label " + name, name + value, MAX_LABEL));
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

    /** This, under another policy. */
    public RunSpec policy(ConflictPolicy policy) {
        return with(policy, execution, priority, terms, limits, retry, guard);
    }

    /** This, done by somebody else. */
    public RunSpec execution(Execution execution) {
        return with(policy, execution, priority, terms, limits, retry, guard);
    }

    /** This, with another priority. */
    public RunSpec priority(int priority) {
        return with(policy, execution, priority, terms, limits, retry, guard);
    }

    /** This, under other leases. */
    public RunSpec terms(LeaseTerms terms) {
        return with(policy, execution, priority, terms, limits, retry, guard);
    }

    /** This, by other clocks. */
    public RunSpec limits(RunLimits limits) {
        return with(policy, execution, priority, terms, limits, retry, guard);
    }

    /** This, tried in another way. */
    public RunSpec retry(RetryPlan retry) {
        return with(policy, execution, priority, terms, limits, retry, guard);
    }

    /** This, moving a resource. */
    public RunSpec guard(Transition guard) {
        return with(policy, execution, priority, terms, limits, retry, guard);
    }

    /** This, with other parameters. */
    public RunSpec parameters(String parameters) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    /** This, with other labels. */
    public RunSpec labels(Map<String, String> labels) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    /** This, from somewhere else. */
    public RunSpec origin(Origin origin) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }

    /** The states it may start from, if it moves a resource. */
    public Optional<Transition> transition() {
        return Optional.ofNullable(guard);
    }

    private RunSpec with(
            ConflictPolicy policy,
            Execution execution,
            int priority,
            LeaseTerms terms,
            RunLimits limits,
            RetryPlan retry,
            @Nullable Transition guard) {
        return new RunSpec(job, policy, execution, priority, parameters, labels, terms, limits, retry, guard, origin);
    }
}
