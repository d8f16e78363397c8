package io.interlock.server.compat.clusters;

import io.interlock.Actor;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.TimeText;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.Submission;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunQuery;
import io.interlock.run.Transition;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.compat.CompatRuns;
import io.interlock.server.compat.CompatRuns.CompatJobs;
import io.interlock.server.compat.clusters.ClusterRecords.Cluster;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.Refusals;
import io.interlock.time.Environment.Timers;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletionStage;

/** A cluster is a resource of the engine, its lock the key {@code cluster/{id}}; a job type is a job, a job a run. */
public final class ClusterApi {

    public static final String DOCUMENT = "compat/clusters.yaml";

    /** The job every cluster begins with. */
    static final String CREATE = "CREATE";

    private static final String DESTROYED = "DESTROYED";

    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    private final OperationContext context;
    private final CompatJobs jobs;
    private final ClusterRecords records;

    private ClusterApi(OperationContext context, CompatJobs jobs) {
        this.context = context;
        this.jobs = jobs;
        this.records = new ClusterRecords(context.engine());
    }

    public static Operations operations(OperationContext context, CompatJobs jobs) {
        ClusterApi api = new ClusterApi(context, jobs);
        return new Operations()
                .on("createCluster", api::create)
                .on("getCluster", api::get)
                .on("startClusterJob", api::start)
                .on("getClusterJob", api::job)
                .on("listDeadClusterJobs", api::dead);
    }

    /** Has clusters destroyed whose lifetime is over, if there is a job for that, until what is returned is closed. */
    public static Timers watchLifetimes(OperationContext context, CompatJobs jobs) {
        Timers timers = context.environment().timers("interlock-lifetimes");
        jobs.ofType(CompatApi.CLUSTERS, Lifetimes.JOB)
                .map(job ->
                        new Lifetimes(context.engine(), job, context.engine().queries()::time))
                .ifPresent(lifetimes -> again(timers, lifetimes));
        return timers;
    }

    private static void again(Timers timers, Lifetimes lifetimes) {
        timers.after(LOOK_EVERY, () -> {
            try {
                lifetimes.round();
            } finally {
                again(timers, lifetimes);
            }
        });
    }

    private CompletionStage<Reply> create(Call call) {
        JobSettings create = job(CREATE);
        JsonObject body = call.body();
        ClusterId made = ClusterId.create(
                body.getString("name"),
                body.getString("base_domain"),
                body.getString("platform"),
                context.environment().random());
        String wanted = body.getString("id");
        ClusterId id = wanted == null ? made : made.twin(wanted);
        Optional<Duration> ttl = call.duration("ttl");
        ttl.ifPresent(this::requireEnd);
        Actor actor = call.actor();
        return context.blocking(call, () -> {
            Optional<Cluster> same = records.find(call.tenant(), id.text());
            if (same.isPresent()) {
                return taken(same.get());
            }
            Instant expiresAt = ttl.map(
                            time -> context.engine().queries().time().plus(time))
                    .orElse(null);
            Optional<Cluster> twin = records.add(call.tenant(), id, expiresAt, actor);
            if (twin.isPresent()) {
                return twin(twin.get());
            }
            Submission answer = submit(call, id, create, new JsonObject());
            if (!answer.isAccepted()) {
                records.giveUp(call.tenant(), id, actor);
                return refused(answer);
            }
            Cluster cluster = new Cluster(id, ClusterRecords.PENDING, expiresAt);
            return Reply.created(
                    clusterJson(cluster).put("job_id", answer.orElseThrow().id().toString()), "/clusters/" + id);
        });
    }

    private void requireEnd(Duration ttl) {
        if (jobs.ofType(CompatApi.CLUSTERS, Lifetimes.JOB).isEmpty()) {
            throw Problem.invalid(
                    "/ttl", "has no end without a job " + Lifetimes.JOB + "; configure one, or leave it out");
        }
        if (ttl.isZero() || ttl.isNegative()) {
            throw Problem.invalid("/ttl", "must be above 0s; leave it out for a cluster without an end");
        }
    }

    private CompletionStage<Reply> start(Call call) {
        JobSettings job = job(call.body().getString("type"));
        JsonObject parameters = call.body().getJsonObject("parameters", new JsonObject());
        return context.blocking(call, () -> {
            Cluster cluster = require(call);
            Optional<Cluster> heir = records.heir(call.tenant(), cluster.id());
            if (heir.isPresent() && revives(job, cluster.status())) {
                return twin(heir.get());
            }
            Submission answer = submit(call, cluster.id(), job, parameters);
            if (!answer.isAccepted()) {
                return destroyedBefore(cluster.id().key(call.tenant()), cluster, job)
                        .orElseGet(() -> refused(answer));
            }
            Run run = answer.orElseThrow();
            // One that is active beside its heir already can still be destroyed.
            Optional<Cluster> latest = heir.isPresent() ? Optional.empty() : lateHeir(call, cluster, job, run);
            if (latest.isPresent()) {
                return twin(latest.get());
            }
            JsonObject json =
                    new JsonObject().put("job_id", run.id().toString()).put("status", status(run.state()));
            if (answer instanceof Submission.Queued queued && queued.position() > 0) {
                json.put("position", queued.position());
            }
            return Reply.accepted(json).header("Location", "/jobs/" + run.id());
        });
    }

    /**
     * The answer to a request to destroy a cluster that is destroyed: it is done already, by the job that is named if it is remembered.
     * Where the transition of the job may start from there, the job looks again instead.
     */
    private Optional<Reply> destroyedBefore(LockKey key, Cluster cluster, JobSettings job) {
        Transition guard = job.job().guard();
        if (guard == null
                || !guard.success().equals(DESTROYED)
                || !cluster.status().equals(DESTROYED)) {
            return Optional.empty();
        }
        RunQuery ended =
                RunQuery.ofTenant(key.tenant()).of(key).in(RunState.SUCCEEDED).newestFirst();
        String by = context.engine().list(ended).runs().stream()
                .filter(run -> run.spec()
                        .transition()
                        .filter(moved -> moved.success().equals(DESTROYED))
                        .isPresent())
                .findFirst()
                .map(run -> run.id().toString())
                .orElse(null);
        return Optional.of(Reply.ok(new JsonObject().put("job_id", by).put("status", status(RunState.SUCCEEDED))));
    }

    /** Whether {@code job} makes a cluster active again that is over: if another has got its name, two of one name would be. */
    private static boolean revives(JobSettings job, String status) {
        Transition guard = job.job().guard();
        return ClusterRecords.isOver(status) && guard != null && guard.from().contains(status);
    }

    /** Who got the name of {@code cluster} before {@code run} was there, which is cancelled then. */
    private Optional<Cluster> lateHeir(Call call, Cluster cluster, JobSettings job, Run run) {
        // It may have failed since it was looked at.
        boolean needsName = revives(job, cluster.status()) || revives(job, ClusterRecords.FAILED);
        if (!needsName || run.state().isTerminal()) {
            return Optional.empty();
        }
        Actor actor = call.actor();
        Optional<Cluster> heir = records.keepName(call.tenant(), cluster.id(), actor);
        heir.ifPresent(found ->
                context.engine().cancel(run.id(), actor, "cluster " + found.id() + " has got the name meanwhile"));
        return heir;
    }

    private Submission submit(Call call, ClusterId id, JobSettings job, JsonObject given) {
        JsonObject parameters = parameters(id, job.name());
        given.forEach(parameter -> {
            if (parameters.containsKey(parameter.getKey())) {
                throw Problem.invalid("/parameters/" + parameter.getKey(), "is set by this API; leave it out");
            }
        });
        return context.engine()
                .submit(CompatRuns.request(call, id.key(call.tenant()), job)
                        .parameters(parameters.mergeIn(given).encode()));
    }

    private Reply refused(Submission answer) {
        Refusal refusal = answer instanceof Submission.Rejected rejected
                ? rejected.refusal()
                : ((Submission.Skipped) answer).refusal();
        return conflictOf(answer, refusal).orElseThrow(() -> CompatRuns.problem(context, refusal));
    }

    private CompletionStage<Reply> get(Call call) {
        return context.blocking(call, () -> Reply.ok(clusterJson(require(call))));
    }

    private CompletionStage<Reply> job(Call call) {
        return context.blocking(call, () -> {
            Run run = CompatRuns.require(context, call, "job", ClusterId.KEYS);
            JsonObject json = jobJson(run);
            context.engine().explain(run.id()).ifPresent(wait -> json.put("position", wait.position()));
            return Reply.ok(json);
        });
    }

    private CompletionStage<Reply> dead(Call call) {
        return context.blocking(call, () -> {
            JsonArray items = new JsonArray();
            long after = 0;
            List<DeadLetter> page;
            do {
                page = context.engine()
                        .deadLetters()
                        .list(new DeadLetterQuery(call.tenant(), null, true, after, RunQuery.MAX_LIMIT));
                for (DeadLetter letter : page) {
                    after = letter.run().number();
                    if (letter.run().key().name().startsWith(ClusterId.KEYS)) {
                        items.add(jobJson(letter.run()));
                    }
                }
            } while (page.size() == RunQuery.MAX_LIMIT);
            return Reply.ok(new JsonObject().put("items", items));
        });
    }

    private Cluster require(Call call) {
        String text = call.required("id", String.class);
        return records.find(call.tenant(), text).orElseThrow(() -> Call.notFound("cluster", text));
    }

    private JobSettings job(String type) {
        return jobs.ofType(CompatApi.CLUSTERS, type).orElseThrow(() -> Call.notFound("job type", type));
    }

    private static Reply twin(Cluster twin) {
        return conflict(new JsonObject()
                .put("code", "CLUSTER_EXISTS")
                .put(
                        "message",
                        "Cluster " + twin.id() + " has this name, platform and base domain and is " + twin.status()
                                + "; destroy it first.")
                .put("cluster_id", twin.id().toString())
                .put("state", twin.status()));
    }

    /** The id that was asked for is that of another cluster. */
    private static Reply taken(Cluster other) {
        return conflict(new JsonObject()
                .put("code", "CLUSTER_EXISTS")
                .put(
                        "message",
                        "There is a cluster with the id " + other.id() + ", which is " + other.status()
                                + "; choose another id, or leave it out.")
                .put("cluster_id", other.id().text())
                .put("state", other.status()));
    }

    /** Why {@code answer} started nothing, if this compatible API has words of its own for it. */
    private static Optional<Reply> conflictOf(Submission answer, Refusal refusal) {
        if (refusal instanceof RunRefusal.WrongState wrong) {
            return Optional.of(conflict(new JsonObject()
                    .put("code", INVALID_STATE)
                    .put("message", Refusals.sentence(refusal))
                    .put("state", wrong.state())
                    .put(
                            "allowed",
                            new JsonArray(
                                    new TreeSet<>(wrong.allowed()).stream().toList()))));
        }
        if (answer.incumbent().isPresent() || refusal instanceof Refusal.Held) {
            return Optional.of(conflict(new JsonObject()
                    .put("code", "LOCK_HELD_BY_OTHER_WORKER")
                    .put("message", Refusals.sentence(refusal))
                    .put("job_id", answer.incumbent().map(RunId::toString).orElse(null))));
        }
        return Optional.empty();
    }

    private static Reply conflict(JsonObject error) {
        return Reply.conflict(new JsonObject().put("error", error));
    }

    /** What the engine calls {@link RunError#WRONG_STATE}. */
    static final String INVALID_STATE = "INVALID_STATE";

    static JsonObject clusterJson(Cluster cluster) {
        return new JsonObject()
                .put("id", cluster.id().toString())
                .put("name", cluster.id().name())
                .put("platform", cluster.id().platform())
                .put("base_domain", cluster.id().baseDomain())
                .put("status", cluster.status())
                .put("expires_at", CompatRuns.time(Optional.ofNullable(cluster.expiresAt())));
    }

    /** What the work of a job is told about its cluster: it is one for all of them. */
    static JsonObject parameters(ClusterId id, String job) {
        JsonObject parameters = new JsonObject().put("cluster_id", id.text()).put("name", id.name());
        if (id.platform() != null) {
            parameters.put("platform", id.platform());
        }
        if (id.baseDomain() != null) {
            parameters.put("base_domain", id.baseDomain());
        }
        return parameters.put("type", CompatJobs.type(job));
    }

    static JsonObject jobJson(Run run) {
        RunError error = run.status().error();
        return new JsonObject()
                .put("job_id", run.id().toString())
                .put("cluster_id", run.key().name().substring(ClusterId.KEYS.length()))
                .put("type", CompatJobs.type(run.job().value()))
                .put("status", status(run.state()))
                .put("error_code", error == null ? null : code(error))
                .put("error_message", error == null ? null : error.message())
                .put("attempt", run.status().attempts())
                .put("max_attempts", run.spec().retry().attempts())
                .put("created_at", TimeText.format(run.submittedAt()))
                .put("started_at", CompatRuns.time(CompatRuns.startedAt(run)))
                .put("ended_at", CompatRuns.time(CompatRuns.endedAt(run)));
    }

    static String status(RunState state) {
        return switch (state) {
            case ABORTED, TIMED_OUT, DEAD -> "FAILED";
            default -> state.name();
        };
    }

    private static String code(RunError error) {
        return error.code().equals(RunError.WRONG_STATE) ? INVALID_STATE : error.code();
    }
}
