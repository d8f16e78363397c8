package io.interlock.cli.remote;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.run.Claimed;
import io.interlock.run.JobName;
import io.interlock.run.LineLimits;
import io.interlock.run.Origin;
import io.interlock.run.Progress;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec;
import io.interlock.run.RunStatus;
import io.interlock.run.StopRequest;
import io.interlock.run.Turn;
import io.interlock.service.Facts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Runs that a server has given us to do. What it does not tell of a run is as the job is configured here. */
final class ClaimedRuns {

    private static final String SUBMITTER = "unknown (through a server)";

    private final Jobs jobs;
    private final Holder holder;

    ClaimedRuns(Jobs jobs, Holder holder) {
        this.jobs = jobs;
        this.holder = holder;
    }

    /** One item of a claim, its lease counting from {@code beat} on, which is the answer to its first heartbeat. */
    Claimed of(Facts item, Facts heartbeat) {
        Facts told = item.in("run");
        Job job = job(item);
        LockKey key = LockKey.of(item.text("tenant").orElse(LockKey.DEFAULT_TENANT), told.shown("key"));
        LeaseTerms terms = terms(item);
        Instant until = time(heartbeat, "expiresAt");
        LeaseRecord lease = new LeaseRecord(
                key,
                LeaseId.parse(item.shown("leaseId")),
                holder,
                new FencingToken(item.number("token").orElseThrow()),
                time(told, "startedAt"),
                until,
                until.minus(terms.ttl()),
                null);
        Run run = run(key, told, spec(item, job, terms), lease);
        StopRequest stop = stop(heartbeat);
        return new Claimed(stop == null ? run : run.with(run.status().stopping(stop)), lease);
    }

    /** The stop request in the answer to a heartbeat, if it has one. */
    static @Nullable StopRequest stop(Facts heartbeat) {
        return heartbeat.is("cancelRequested")
                ? new StopRequest(
                        RunError.CANCELLED,
                        "unknown",
                        heartbeat.text("cancelReason").orElse("no reason given"),
                        time(heartbeat, "expiresAt"))
                : null;
    }

    /** {@code run} as the answer to its end says it stands. */
    static Run ended(Run run, Facts answer) {
        RunState state = RunState.valueOf(answer.text("state").orElse(RunState.SUCCEEDED.name()));
        return run.with(run.status().moved(state, time(answer, "endedAt")));
    }

    /** How long the lease of an item lasts. */
    Duration ttl(Facts item) {
        return terms(item).ttl();
    }

    private LeaseTerms terms(Facts item) {
        return item.duration("lease")
                .map(LeaseTerms::of)
                .orElseGet(() -> job(item).terms());
    }

    private Job job(Facts item) {
        return jobs.require(new JobName(item.in("run").shown("job")));
    }

    private static Run run(LockKey key, Facts told, RunSpec spec, LeaseRecord lease) {
        int attempt = (int) told.number("attempt").orElse(1);
        Turn turn = new Turn(attempt, lease.id(), lease.token(), lease.holder(), lease.grantedAt());
        RunStatus status = new RunStatus(
                RunState.RUNNING,
                lease.grantedAt(),
                attempt,
                null,
                null,
                turn,
                List.of(),
                Progress.NONE,
                null,
                null,
                null);
        return new Run(RunId.parse(told.shown("id")), key, 0, time(told, "submittedAt"), spec, LineLimits.NONE, status);
    }

    private static RunSpec spec(Facts item, Job job, LeaseTerms terms) {
        Facts told = item.in("run");
        Map<String, String> labels = new TreeMap<>();
        told.in("labels").map().forEach((name, value) -> labels.put(name, String.valueOf(value)));
        Duration maxRuntime = item.duration("maxRuntime").orElse(null);
        String reason = told.text("reason").filter(text -> !text.isBlank()).orElse(null);
        return RunSpec.of(job.name(), SUBMITTER)
                .policy(job.policy())
                .priority((int) told.number("priority").orElse(0))
                .parameters(item.text("parameters").orElse("{}"))
                .labels(labels)
                .terms(terms)
                .limits(new RunLimits(null, maxRuntime, Duration.ZERO))
                .retry(job.retry())
                .origin(new Origin(
                        SUBMITTER, reason, null, item.text("traceparent").orElse(null), null));
    }

    private static Instant time(Facts facts, String name) {
        return facts.time(name).orElse(Instant.EPOCH);
    }
}
