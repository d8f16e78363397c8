package io.interlock.engine;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.run.JobName;
import io.interlock.run.RunSpec.Execution;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Asks for a run. Immutable; each method returns a changed copy. What is not said is as the job says.
 *
 * <pre>{@code RunRequest.of(key, "nightly-close").onConflict(JOIN).idempotencyKey(eventId)}</pre>
 */
public final class RunRequest {

    private final LockKey key;
    private final JobName job;
    // Never changed once it is here.
    private final Wishes wishes;

    private RunRequest(LockKey key, JobName job, Wishes wishes) {
        this.key = key;
        this.job = job;
        this.wishes = wishes;
    }

    /** Asks for {@code job} under {@code key}. */
    public static RunRequest of(LockKey key, String job) {
        return of(key, new JobName(job));
    }

    /** Asks for {@code job} under {@code key}. */
    public static RunRequest of(LockKey key, JobName job) {
        return new RunRequest(key, job, new Wishes());
    }

    /** What happens if the key is taken. */
    public RunRequest onConflict(ConflictPolicy policy) {
        return with(wish -> wish.policy = policy);
    }

    /** Who does the work; a worker unless said. If it is the caller, the job need not be one the engine knows. */
    public RunRequest execution(Execution execution) {
        return with(wish -> wish.execution = execution);
    }

    /** By what the tenant knows the same request again; asked for once more in the same words, it is the same run. */
    public RunRequest idempotencyKey(String idempotencyKey) {
        return with(wish -> wish.idempotencyKey = idempotencyKey);
    }

    /** What is compared when an idempotency key comes again, instead of the words of the request. */
    public RunRequest fingerprint(String fingerprint) {
        return with(wish -> wish.fingerprint = fingerprint);
    }

    /** From −100 to 100; the higher goes first. */
    public RunRequest priority(int priority) {
        return with(wish -> wish.priority = priority);
    }

    /** How long it waits for its turn, or for a worker. */
    public RunRequest maxWait(Duration maxWait) {
        return with(wish -> wish.maxWait = maxWait);
    }

    /** How long its lease lives without a heartbeat. */
    public RunRequest lease(Duration ttl) {
        return with(wish -> wish.lease = ttl);
    }

    /** How long an attempt may take. */
    public RunRequest maxRuntime(Duration maxRuntime) {
        return with(wish -> wish.maxRuntime = maxRuntime);
    }

    /** JSON text for the work, at most 64 KiB. */
    public RunRequest parameters(String json) {
        return with(wish -> wish.parameters = json);
    }

    public RunRequest reason(String reason) {
        return with(wish -> wish.reason = reason);
    }

    /** For people, at most 20 of 100 bytes each. */
    public RunRequest labels(Map<String, String> labels) {
        return with(wish -> wish.labels = Map.copyOf(labels));
    }

    /** Who asks; the engine's own name unless said. */
    public RunRequest submitter(String submitter) {
        return with(wish -> wish.submitter = submitter);
    }

    /** Who asks, by which request and from where. */
    public RunRequest submitter(Actor submitter) {
        return with(wish -> {
            wish.submitter = submitter.name();
            wish.correlation = submitter.correlation();
            wish.address = submitter.address();
        });
    }

    /** What it belongs to, for the audit log. */
    public RunRequest correlation(String correlation) {
        return with(wish -> wish.correlation = correlation);
    }

    /** The W3C {@code traceparent} it is asked for under. */
    public RunRequest trace(String traceparent) {
        return with(wish -> wish.trace = traceparent);
    }

    /**
     * Asks again, up to {@code count} times, if another run has the key and the policy would refuse: each time after
     * {@code delay}, give or take a fifth.
     */
    public RunRequest retryOnConflict(int count, Duration delay) {
        Job.ConflictRetry retry = new Job.ConflictRetry(count, delay);
        return with(wish -> wish.conflictRetry = retry);
    }

    /** What it is to be exclusive under. */
    public LockKey key() {
        return key;
    }

    public JobName job() {
        return job;
    }

    public Optional<ConflictPolicy> policy() {
        return Optional.ofNullable(wishes.policy);
    }

    public Execution execution() {
        return wishes.execution;
    }

    public Optional<String> idempotencyKey() {
        return Optional.ofNullable(wishes.idempotencyKey);
    }

    public Optional<String> fingerprint() {
        return Optional.ofNullable(wishes.fingerprint);
    }

    public int priority() {
        return wishes.priority;
    }

    public Optional<Duration> maxWait() {
        return Optional.ofNullable(wishes.maxWait);
    }

    public Optional<Duration> lease() {
        return Optional.ofNullable(wishes.lease);
    }

    public Optional<Duration> maxRuntime() {
        return Optional.ofNullable(wishes.maxRuntime);
    }

    public String parameters() {
        return wishes.parameters;
    }

    public Optional<String> reason() {
        return Optional.ofNullable(wishes.reason);
    }

    public Map<String, String> labels() {
        return wishes.labels;
    }

    public Optional<String> submitter() {
        return Optional.ofNullable(wishes.submitter);
    }

    public Optional<String> correlation() {
        return Optional.ofNullable(wishes.correlation);
    }

    /** The W3C {@code traceparent} it is asked for under. */
    public Optional<String> trace() {
        return Optional.ofNullable(wishes.trace);
    }

    public Optional<String> address() {
        return Optional.ofNullable(wishes.address);
    }

    /** How often it is asked again if another run has the key, if it says so; else its job does. */
    public Optional<Job.ConflictRetry> conflictRetry() {
        return Optional.ofNullable(wishes.conflictRetry);
    }

    private RunRequest with(Consumer<Wishes> change) {
        Wishes copy = wishes.copy();
        change.accept(copy);
        return new RunRequest(key, job, copy);
    }

    private static final class Wishes implements Cloneable {
        private @Nullable ConflictPolicy policy;
        private Execution execution = Execution.WORKER;
        private @Nullable String idempotencyKey;
        private @Nullable String fingerprint;
        private int priority;
        private @Nullable Duration maxWait;
        private @Nullable Duration lease;
        private @Nullable Duration maxRuntime;
        private String parameters = "{}";
        private @Nullable String reason;
        private Map<String, String> labels = Map.of();
        private @Nullable String submitter;
        private @Nullable String correlation;
        private @Nullable String trace;
        private @Nullable String address;
        private Job.@Nullable ConflictRetry conflictRetry;

        Wishes copy() {
            try {
                return (Wishes) clone();
            } catch (CloneNotSupportedException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }
}
