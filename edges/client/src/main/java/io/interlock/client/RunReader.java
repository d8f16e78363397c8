package io.interlock.client;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.Job;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.Turn;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits;
import io.interlock.run.RunLimits.LineLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunSpec.Origin;
import io.interlock.run.RunStatus;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunStatus.Stage;
import io.interlock.run.RunStatus.StopRequest;
import io.interlock.service.Facts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs in the JSON of a server, as the engine knows them. What it does not tell of a run is as the job is configured here. */
final class RunReader {

    private static final String ELSEWHERE = "a client of the server";

    private final Function<JobName, Job> jobs;
    private final Holder holder;

    RunReader(Function<JobName, Job> jobs, Holder holder) {
        this.jobs = jobs;
        this.holder = holder;
    }

    /** A run of {@code tenant} as it stands. */
    Run run(String tenant, Facts told) {
        Job job = jobs.apply(new JobName(told.shown("job")));
        return run(LockKey.of(tenant, told.shown("key")), told, spec(told, told, job, job.terms()), null);
    }

    /**
     * A run that was granted, its lease counting from {@code heartbeat} on.
     *
     * @param item says what the lease is
     * @param told the run in it
     * @param heartbeat the answer that last confirmed the lease
     */
    Claimed granted(LockKey key, Facts item, Facts told, LeaseTerms terms, Facts heartbeat) {
        Instant until = time(heartbeat, "expiresAt");
        Instant now = until.minus(terms.ttl());
        LeaseRecord lease = new LeaseRecord(
                key,
                LeaseId.parse(item.shown("leaseId")),
                holder,
                new FencingToken(item.number("token").orElseThrow()),
                told.time("startedAt").orElse(now),
                until,
                now,
                null);
        Job job = jobs.apply(new JobName(told.shown("job")));
        Run run = run(key, told, spec(item, told, job, terms), lease);
        StopRequest stop = stop(heartbeat);
        return new Claimed(stop == null ? run : run.with(run.status().stopping(stop)), lease);
    }

    /** One item of a claim, its lease counting from {@code heartbeat} on. */
    Claimed claimed(Facts item, Facts heartbeat) {
        Facts told = item.in("run");
        LockKey key = LockKey.of(item.text("tenant").orElse(LockKey.DEFAULT_TENANT), told.shown("key"));
        return granted(key, item, told, terms(item), heartbeat);
    }

    /** How long the lease of an item of a claim lasts. */
    LeaseTerms terms(Facts item) {
        return item.duration("lease")
                .map(LeaseTerms::of)
                .orElseGet(() ->
                        jobs.apply(new JobName(item.in("run").shown("job"))).terms());
    }

    /** The stop request in the answer to a heartbeat, if it has one. */
    static @Nullable StopRequest stop(Facts heartbeat) {
        return heartbeat.is("cancelRequested")
                ? new StopRequest(
                        RunError.CANCELLED,
                        ELSEWHERE,
                        heartbeat.text("cancelReason").orElse("no reason given"),
                        time(heartbeat, "expiresAt"))
                : null;
    }

    /** {@code run} as the answer to its end says it stands. */
    static Run ended(Run run, Facts answer) {
        RunState state = RunState.valueOf(answer.text("state").orElse(RunState.SUCCEEDED.name()));
        return run.with(run.status().moved(state, time(answer, "endedAt")));
    }

    private Run run(LockKey key, Facts told, RunSpec spec, @Nullable LeaseRecord lease) {
        int attempt = (int) told.number("attempt").orElse(1);
        Instant submitted = time(told, "submittedAt");
        Instant started = told.time("startedAt").orElse(submitted);
        Turn turn = lease != null
                ? new Turn(attempt, lease.id(), lease.token(), lease.holder(), lease.grantedAt())
                : told.number("token").isPresent() ? turn(attempt, told, started) : null;
        RunState state = lease != null
                ? RunState.RUNNING
                : RunState.valueOf(told.text("state").orElse(RunState.QUEUED.name()));
        Instant since = told.time("endedAt").orElse(lease != null ? lease.grantedAt() : started);
        Facts progress = told.in("progress");
        List<Stage> stages = told.text("stage")
                .map(stage -> List.of(new Stage(stage, started)))
                .orElse(List.of());
        Facts error = told.in("error");
        RunStatus status = new RunStatus(
                state,
                since,
                attempt,
                null,
                null,
                turn,
                stages,
                progress.number("done").isEmpty() ? Progress.NONE : progress(progress),
                null,
                told.text("result").orElse(null),
                error.isEmpty() ? null : new RunError(error.shown("code"), error.shown("message")));
        return new Run(RunId.parse(told.shown("id")), key, 0, submitted, spec, LineLimits.NONE, status);
    }

    private static Progress progress(Facts told) {
        OptionalLong total = told.number("total");
        return new Progress(told.number("done").orElseThrow(), total.isPresent() ? (Long) total.getAsLong() : null);
    }

    private static Turn turn(int attempt, Facts told, Instant started) {
        String label = told.text("holder").orElse("unknown");
        FencingToken token = new FencingToken(told.number("token").orElseThrow());
        return new Turn(attempt, ServerLeaseStore.HIDDEN, token, new Holder(label, label), started);
    }

    private static RunSpec spec(Facts item, Facts told, Job job, LeaseTerms terms) {
        Map<String, String> labels = new TreeMap<>();
        told.in("labels").map().forEach((name, value) -> labels.put(name, String.valueOf(value)));
        Duration maxRuntime = item.duration("maxRuntime").orElse(null);
        String reason = told.text("reason").filter(text -> !text.isBlank()).orElse(null);
        String submitter = told.text("submittedBy").orElse("unknown (through a server)");
        return RunSpec.of(job.name(), submitter)
                .policy(job.policy())
                .priority((int) told.number("priority").orElse(0))
                .parameters(item.text("parameters").orElse("{}"))
                .labels(labels)
                .terms(terms)
                .limits(new RunLimits(null, maxRuntime, Duration.ZERO))
                .retry(job.retry())
                .origin(new Origin(
                        submitter, reason, null, item.text("traceparent").orElse(null), null));
    }

    private static Instant time(Facts facts, String name) {
        return facts.time(name).orElse(Instant.EPOCH);
    }
}
