package io.interlock.client;

import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseTerms;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.StoreUnavailableException;
import io.interlock.client.ServerConnection.Answer;
import io.interlock.engine.CallerRun.TurnSource;
import io.interlock.engine.Job;
import io.interlock.engine.Jobs;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.WorkerEngine;
import io.interlock.engine.WorkerEngine.CallerEngine;
import io.interlock.engine.WorkerEngine.WorkSource;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunLimits;
import io.interlock.run.RunSpec.Execution;
import io.interlock.service.Facts;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.RunSteps.CancelRequest;
import io.interlock.spi.run.RunSteps.TurnRequest;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadFactory;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Submits runs to a server. Of those whose work a caller in this process does, an engine keeps the leases alive and takes the turns, like
 * one on a store. Safe for use by many threads.
 */
final class ServerRuns implements TurnSource, AutoCloseable {

    private static final int ACCEPTED = 202;
    private static final int NOT_FOUND = 404;
    private static final Duration POLL = Duration.ofSeconds(5);

    // A caller that is silent for 15 s leaves the queue.
    private static final Duration ASK_EVERY = Duration.ofSeconds(8);

    private static final Set<String> REFUSALS = Set.of(
            "lock-held", "lock-delayed", "key-paused", "store-recovering", "wrong-state", "queue-full", "tenant-busy");

    private final ServerConnection server;
    private final Environment environment;
    private final LocalTime time;
    private final Timers pauses;
    private final RunReader reader;
    private final ServerWork work;
    private final CallerEngine engine;

    ServerRuns(ServerConnection server, Environment environment, Holder holder, Jobs jobs, Duration drainTime) {
        this.server = server;
        this.environment = environment;
        this.time = new LocalTime(environment);
        this.pauses = environment.timers("interlock-long-poll-pauses");
        this.reader = new RunReader(
                name -> jobs.find(name).orElseGet(() -> Job.named(name.value()).build()), holder);
        WorkPoll none = new WorkPoll(server, environment);
        this.work = new ServerWork(server, reader, none, environment.ticker());
        this.engine = WorkerEngine.builder(new WorkSource(work, ChangeFeed.SILENT, 1))
                .environment(environment)
                .holder(holder)
                .jobs(jobs)
                .slots(0)
                .pollEvery(POLL)
                .drainTime(drainTime)
                .build(this);
    }

    Submission submit(RunRequest request) {
        boolean byCaller = request.execution() == Execution.CALLER;
        LeaseId lease = LeaseId.random(environment.random());
        Facts body = body(request, byCaller ? lease : null);
        Moment before = time.now();
        Answer answer = repeatable(() -> server.tryPost("/runs", body));
        Facts told = answer.body();
        if (!answer.isGood()) {
            ProblemException problem = answer.problem();
            if (REFUSALS.contains(problem.code())) {
                return new Submission.Rejected(ServerLeaseStore.byServer(request.key(), problem.code(), told));
            }
            throw problem;
        }
        if (told.shown("state").equals("SKIPPED")) {
            return new Submission.Skipped(
                    ServerLeaseStore.byServer(request.key(), told.text("code").orElse("lock-held"), told));
        }
        Optional<String> granted = told.text("leaseId");
        if (granted.isPresent()) {
            // A grant that is told again has lost a part of its life already.
            return told.is("deduplicated")
                    ? adopted(
                            request,
                            told,
                            time.now(),
                            work.confirm(RunId.parse(told.shown("id")), told, ttl(request))
                                    .orElseThrow(() -> lost(told)))
                    : adopted(request, told, before, told);
        }
        Run run = reader.run(request.key().tenant(), told);
        if (answer.status() == ACCEPTED || (byCaller && run.state() == RunState.QUEUED)) {
            int position = (int) told.number("position").orElse(0);
            return new Submission.Queued(run, position, byCaller ? engine.turn(spec(request, run), lease) : null);
        }
        if (told.is("deduplicated")) {
            return request.idempotencyKey().isPresent() ? new Submission.Duplicate(run) : new Submission.Joined(run);
        }
        return new Submission.Started(run, null, null);
    }

    private Submission adopted(RunRequest request, Facts told, Moment before, Facts confirmed) {
        Claimed claimed = reader.granted(request.key(), told, told, LeaseTerms.of(ttl(request)), confirmed);
        work.take(claimed);
        return new Submission.Started(
                claimed.run(), claimed.lease(), engine.adopt(claimed.run(), claimed.lease(), before));
    }

    private StoreUnavailableException lost(Facts told) {
        return new StoreUnavailableException(
                name(), "granted run " + told.shown("id") + ", and its lease ended before that was known here");
    }

    /** How long the lease of a run lasts, which a server does not tell. */
    private static Duration ttl(RunRequest request) {
        return request.lease()
                .orElseGet(
                        () -> Job.named(request.job().value()).build().terms().ttl());
    }

    private static Run spec(RunRequest request, Run run) {
        RunLimits told = run.spec().limits();
        // A server does not tell how long the run waits. Of one that is gone, this ends the wait.
        RunLimits limits = new RunLimits(request.maxWait().orElse(null), told.maxRuntime(), told.expiryGrace());
        return run.with(
                run.spec().terms(LeaseTerms.of(ttl(request))).limits(limits).execution(Execution.CALLER));
    }

    private Facts body(RunRequest request, @Nullable LeaseId lease) {
        return Facts.with("key", request.key().name())
                .and("job", request.job())
                .and("execution", request.execution().name().toLowerCase(Locale.ROOT))
                .and("leaseId", lease)
                // Under the same name a request whose answer was lost is the same run, and the same grant.
                .and(
                        "idempotencyKey",
                        request.idempotencyKey()
                                .orElseGet(() ->
                                        LeaseId.random(environment.random()).toString()))
                .and("onConflict", request.policy().orElse(null))
                .and("priority", request.priority())
                .and("maxWait", request.maxWait().orElse(null))
                .and("lease", lease == null ? request.lease().orElse(null) : ttl(request))
                .and("maxRuntime", request.maxRuntime().orElse(null))
                .and("parameters", Json.foreign(request.parameters()))
                .and("reason", request.reason().orElse(null))
                .and("labels", new TreeMap<>(request.labels()));
    }

    /** Once more if the answer was lost. */
    private static Answer repeatable(Supplier<Answer> request) {
        try {
            return request.get();
        } catch (UnreachableException lost) {
            if (lost.reason() != UnreachableException.Cause.SILENT) {
                throw lost;
            }
            return request.get();
        }
    }

    Optional<Run> find(String tenant, RunId run) {
        return found(() -> reader.run(tenant, server.get("/runs/" + run)));
    }

    /** One run, when it has ended or {@code wait} is over, which is at most 30 s. */
    Optional<Run> awaitEnd(String tenant, RunId run, Duration wait, ServerConnection.RequestAbort hangUp) {
        return found(() -> reader.run(tenant, server.getWithin(wait, hangUp, "/runs/" + run)));
    }

    private static Optional<Run> found(Supplier<Run> question) {
        try {
            return Optional.of(question.get());
        } catch (ProblemException problem) {
            if (problem.status() == NOT_FOUND) {
                return Optional.empty();
            }
            throw problem;
        }
    }

    @Override
    public CompletionStage<TurnAnswer> take(TurnRequest request) {
        ThreadFactory threads = environment.threads("interlock-turn");
        return CompletableFuture.supplyAsync(
                () -> takeNow(request), task -> threads.newThread(task).start());
    }

    private TurnAnswer takeNow(TurnRequest request) {
        Answer answer = work.clear(() -> server.tryPost(claim(request), lease(request)));
        Facts told = answer.body();
        if (!answer.isGood()) {
            return over(request);
        }
        Run run = reader.run(request.key().tenant(), told);
        if (answer.status() == ACCEPTED) {
            return new TurnAnswer.Waiting(run, (int) told.number("position").orElse(0), null);
        }
        // The turn came at some time while we waited: so the lease is confirmed before anything is begun.
        Duration ttl = told.duration("heartbeatEvery")
                .map(every -> every.multipliedBy(3))
                .orElseGet(() -> run.spec().terms().ttl());
        Facts grant = told.and("leaseId", request.caller().lease());
        Optional<Facts> confirmed = work.confirm(request.run(), grant, ttl);
        if (confirmed.isEmpty()) {
            return over(request);
        }
        Claimed claimed = reader.granted(request.key(), grant, told, LeaseTerms.of(ttl), confirmed.get());
        work.take(claimed);
        return new TurnAnswer.Granted(claimed.run(), claimed.lease());
    }

    private TurnAnswer over(TurnRequest request) {
        return new TurnAnswer.Over(find(request.key().tenant(), request.run()).orElse(null));
    }

    @Override
    public ChangeFeed.Subscription watch(TurnRequest request, Runnable look) {
        return LongPoll.begin(
                environment,
                pauses,
                hangUp -> server.tryPost(claim(request), lease(request).and("wait", ASK_EVERY), ASK_EVERY, hangUp)
                                .status()
                        != ACCEPTED,
                look);
    }

    private static String claim(TurnRequest request) {
        return "/runs/" + request.run() + "/claim";
    }

    private static Facts lease(TurnRequest request) {
        return Facts.with("leaseId", request.caller().lease());
    }

    @Override
    public void cancel(CancelRequest request) {
        try {
            cancel(request.run(), request.reason());
        } catch (StoreUnavailableException untold) {
            // A caller that is silent leaves the queue by itself.
        }
    }

    Answer cancel(RunId run, String reason) {
        return work.clear(() -> server.tryPost("/runs/" + run + "/cancel", Facts.with("reason", reason)));
    }

    @Override
    public String name() {
        return server.toString();
    }

    @Override
    public void close() {
        engine.close();
        pauses.close();
    }
}
