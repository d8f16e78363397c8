package io.interlock.engine;

import io.interlock.ConflictPolicy;
import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import io.interlock.run.JobName;
import io.interlock.run.RetryPlan;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.Transition;
import java.time.Duration;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A kind of work, and the rules its runs are done under unless a request says otherwise. {@link JobBuilder} says what each part means.
 *
 * <pre>{@code
 * Job close = Job.named("nightly-close")
 *         .handler(run -> ledger.close(run.key(), run.token()))
 *         .maxRuntime(ofHours(2))
 *         .retry(new RetryPlan(3, ofMinutes(5), 2, ofMinutes(30)))
 *         .build();
 * }</pre>
 */
public record Job(
        JobName name,
        @Nullable RunHandler handler,
        ConflictPolicy policy,
        ConflictRetry conflictRetry,
        LeaseTerms terms,
        RunLimits limits,
        LineLimits line,
        Map<String, @Nullable Duration> stages,
        RetryPlan retry,
        FailureKinds failures,
        @Nullable Transition guard,
        Duration grace) {

    public Job {
        stages = Collections.unmodifiableMap(new LinkedHashMap<>(stages));
        stages.forEach((stage, budget) -> requireBudget(stage, budget, limits));
        if (grace.isNegative()) {
            throw new InvalidSettingException(
                    "grace", DurationText.format(grace), "is negative", "0s leaves the lease to end at once");
        }
        Duration maxWait = limits.maxWait();
        if (policy == ConflictPolicy.QUEUE && maxWait != null && maxWait.isZero()) {
            throw new InvalidSettingException(
                    "max-wait", "0s", "contradicts on-conflict QUEUE: no run could wait", "choose REJECT, or raise it");
        }
    }

    /** A job of that name, to be described further. */
    public static JobBuilder named(String name) {
        return new JobBuilder(new JobName(name));
    }

    /** This job, its work done here by {@code handler}. */
    public Job doneBy(RunHandler handler) {
        return new Job(
                name, handler, policy, conflictRetry, terms, limits, line, stages, retry, failures, guard, grace);
    }

    /** What does the work here, if anything does. */
    public Optional<RunHandler> work() {
        return Optional.ofNullable(handler);
    }

    /** How long {@code stage} may take, if that is limited. */
    public Optional<Duration> budget(String stage) {
        return Optional.ofNullable(stages.get(stage));
    }

    private static void requireBudget(String stage, @Nullable Duration budget, RunLimits limits) {
        if (budget == null) {
            return;
        }
        if (budget.isNegative() || budget.isZero()) {
            throw new InvalidSettingException(
                    "budget of stage " + stage, DurationText.format(budget), "must be above 0s", "leave it out");
        }
        Duration most = limits.maxRuntime();
        if (most != null && budget.compareTo(most) > 0) {
            throw new InvalidSettingException(
                    "budget of stage " + stage,
                    DurationText.format(budget),
                    "is above the job's max-runtime of " + DurationText.format(most),
                    "lower the budget or raise max-runtime");
        }
    }

    /**
     * Which exceptions of a job's work mend themselves, and which do not. The class nearest to the one thrown decides; whatever
     * is not named counts as passing.
     *
     * @param permanent those no further attempt would mend
     * @param passing those a further attempt may mend
     */
    public record FailureKinds(Set<Class<? extends Throwable>> permanent, Set<Class<? extends Throwable>> passing) {

        public FailureKinds {
            permanent = Set.copyOf(permanent);
            passing = Set.copyOf(passing);
            permanent.stream().filter(passing::contains).findFirst().ifPresent(both -> {
                throw new InvalidSettingException(
                        "failures", both.getName(), "is named both as permanent and as passing", "name it once");
            });
        }

        /** Whether another attempt may mend {@code failure}. */
        public boolean mayPass(Throwable failure) {
            for (Class<?> kind = failure.getClass(); kind != null; kind = kind.getSuperclass()) {
                if (permanent.contains(kind) || passing.contains(kind)) {
                    return passing.contains(kind);
                }
            }
            return true;
        }
    }

    /** How often a submission is made again if another run has the key and the policy would refuse. */
    public record ConflictRetry(int times, Duration delay) {

        /** Refuses at once. */
        public static final ConflictRetry NONE = new ConflictRetry(0, Duration.ZERO);

        public ConflictRetry {
            if (times < 0 || delay.isNegative()) {
                throw new InvalidSettingException(
                        "retry on conflict",
                        times + " × " + DurationText.format(delay),
                        "is negative",
                        "0 times means: ask once");
            }
        }
    }

    /**
     * Between which limits the max runtime of a kind of jobs must be, so that a slip of the pen is found out at the start.
     *
     * @param most the longest that makes sense
     */
    public record RuntimeRange(Duration least, Duration most) {

        /** For jobs that take from a minute to a day. */
        public static final RuntimeRange MINUTE_TO_DAY = new RuntimeRange(Duration.ofSeconds(60), Duration.ofDays(1));

        public RuntimeRange {
            if (least.compareTo(most) > 0) {
                throw new InvalidSettingException(
                        "range of max-runtime",
                        DurationText.format(least) + " to " + DurationText.format(most),
                        "has its ends the wrong way round",
                        "name the shorter one first");
            }
        }

        /**
         * {@code time}, if it is within the limits.
         *
         * @throws InvalidSettingException if it is not
         */
        public Duration require(Duration time) {
            if (time.compareTo(least) < 0 || time.compareTo(most) > 0) {
                throw new InvalidSettingException(
                        "max-runtime",
                        DurationText.format(time),
                        "must be from " + DurationText.format(least) + " (" + least.toSeconds() + " s) to "
                                + DurationText.format(most) + " (" + most.toSeconds() + " s)",
                        "choose a time in between");
            }
            return time;
        }
    }
}
