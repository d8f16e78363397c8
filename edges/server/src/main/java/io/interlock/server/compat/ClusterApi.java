package io.interlock.server.compat;

import io.interlock.Actor;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.RunState;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.Submission;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetter.DeadLetterQuery;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunQuery;
import io.interlock.run.Transition;
import io.interlock.run.Wait;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.compat.ClusterRecords.Cluster;
import io.interlock.service.Facts;
import io.interlock.service.Problem;
import io.interlock.service.RefusalFacts;
import io.interlock.time.Environment.Timers;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** A cluster is a resource of the engine, its lock the key {@code cluster/{id}}; a job type is a job, a job a run. */
public final class ClusterApi {

    public static final String DOCUMENT = "compat/clusters.yaml";

    /** The job every cluster begins with. */
    static final String CREATE = "CREATE";

    private static final String DESTROYED = "DESTROYED";

    private static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    private final CompatRuns runs;
    private final ClusterRecords records;

    private ClusterApi(CompatRuns runs) {
        this.runs = runs;
        this.records = new ClusterRecords(runs.engine());
    }

    static Operations operations(OperationContext context, Collection<JobSettings> jobs) {
        ClusterApi api = new ClusterApi(new CompatRuns(context, CompatApi.CLUSTERS, jobs));
        return new Operations()
                .on("createCluster", context.blocking(api::create))
                .on("getCluster", context.blocking(call -> Reply.ok(clusterJson(api.require(call)))))
                .on("startClusterJob", context.blocking(api::start))
                .on("getClusterJob", context.blocking(api::job))
                .on("listDeadClusterJobs", context.blocking(api::dead));
    }

    /** Has clusters destroyed whose lifetime is over, if there is a job for that, until what is returned is closed. */
    static Timers watchLifetimes(OperationContext context, Collection<JobSettings> jobs) {
        Timers timers = context.environment().timers("interlock-lifetimes");
        new CompatRuns(context, CompatApi.CLUSTERS, jobs)
                .jobOfType(Lifetimes.JOB)
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

    private Reply create(Call call) {
        JobSettings create = job(CREATE);
        JsonObject body = call.body();
        ClusterId made = ClusterId.create(
                body.getString("name"),
                body.getString("base_domain"),
                body.getString("platform"),
                runs.context().environment().random());
        String wanted = body.getString("id");
        ClusterId id = wanted == null ? made : made.twin(wanted);
        Optional<Duration> ttl = call.duration("ttl");
        ttl.ifPresent(this::requireEnd);
        Actor actor = call.actor();
        Optional<Cluster> same = records.find(call.tenant(), id.text());
        if (same.isPresent()) {
            return taken(same.get());
        }
        Instant expiresAt =
                ttl.map(time -> runs.engine().queries().time().plus(time)).orElse(null);
        Optional<Cluster> twin = records.add(call.tenant(), id, expiresAt, actor);
        if (twin.isPresent()) {
            return twin(twin.get());
        }
        Submission answer = submit(call, id, create, new JsonObject());
        if (answer instanceof Submission.Refused refused) {
            records.giveUp(call.tenant(), id, actor);
            return conflictOf(refused);
        }
        Cluster cluster = new Cluster(id, ClusterRecords.PENDING, expiresAt);
        return Reply.created(
                clusterJson(cluster).and("job_id", answer.orElseThrow().id()), "/clusters/" + id);
    }

    private void requireEnd(Duration ttl) {
        if (runs.jobOfType(Lifetimes.JOB).isEmpty()) {
            throw Problem.invalid(
                    "/ttl", "has no end without a job " + Lifetimes.JOB + "; configure one, or leave it out");
        }
        if (ttl.isZero() || ttl.isNegative()) {
            throw Problem.invalid("/ttl", "must be above 0s; leave it out for a cluster without an end");
        }
    }

    private Reply start(Call call) {
        JobSettings job = job(call.body().getString("type"));
        JsonObject parameters = call.body().getJsonObject("parameters", new JsonObject());
        Cluster cluster = require(call);
        Optional<Cluster> heir = records.heir(call.tenant(), cluster.id());
        if (heir.isPresent() && revives(job, cluster.status())) {
            return twin(heir.get());
        }
        Submission answer = submit(call, cluster.id(), job, parameters);
        if (answer instanceof Submission.Refused refused) {
            return destroyedBefore(cluster.id().key(call.tenant()), cluster, job)
                    .orElseGet(() -> conflictOf(refused));
        }
        Run run = answer.orElseThrow();
        // One that is active beside its heir already can still be destroyed.
        Optional<Cluster> latest = heir.isPresent() ? Optional.empty() : lateHeir(call, cluster, job, run);
        if (latest.isPresent()) {
            return twin(latest.get());
        }
        Facts json = Facts.with("job_id", run.id()).and("status", status(run.state()));
        if (answer instanceof Submission.Queued queued && queued.position() > 0) {
            json.and("position", queued.position());
        }
        return Reply.accepted(json).header("Location", "/jobs/" + run.id());
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
        RunId by = runs.engine().list(ended).runs().stream()
                .filter(run -> run.spec()
                        .transition()
                        .filter(moved -> moved.success().equals(DESTROYED))
                        .isPresent())
                .findFirst()
                .map(Run::id)
                .orElse(null);
        return Optional.of(Reply.ok(Facts.none().orNull("job_id", by).and("status", status(RunState.SUCCEEDED))));
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
                runs.engine().cancel(run.id(), actor, "cluster " + found.id() + " has got the name meanwhile"));
        return heir;
    }

    private Submission submit(Call call, ClusterId id, JobSettings job, JsonObject given) {
        JsonObject parameters = parameters(id, job.name());
        given.forEach(parameter -> {
            if (parameters.containsKey(parameter.getKey())) {
                throw Problem.invalid("/parameters/" + parameter.getKey(), "is set by this API; leave it out");
            }
        });
        return runs.engine()
                .submit(CompatRuns.request(call, id.key(call.tenant()), job)
                        .parameters(parameters.mergeIn(given).encode()));
    }

    private Reply job(Call call) {
        Run run = runs.require(call, "job", ClusterId.KEYS);
        return Reply.ok(
                jobJson(run).and("position", runs.engine().explain(run.id()).orElse(null), Wait::position));
    }

    private Reply dead(Call call) {
        List<Facts> items = new ArrayList<>();
        long after = 0;
        List<DeadLetter> page;
        do {
            page = runs.engine()
                    .deadLetters()
                    .list(new DeadLetterQuery(call.tenant(), null, true, after, RunQuery.MAX_LIMIT));
            for (DeadLetter letter : page) {
                after = letter.run().number();
                if (letter.run().key().name().startsWith(ClusterId.KEYS)) {
                    items.add(jobJson(letter.run()));
                }
            }
        } while (page.size() == RunQuery.MAX_LIMIT);
        return Reply.items(items);
    }

    private Cluster require(Call call) {
        String text = call.required("id", String.class);
        return records.find(call.tenant(), text).orElseThrow(() -> Problem.notFound("cluster", text));
    }

    private JobSettings job(String type) {
        return runs.jobOfType(type).orElseThrow(() -> Problem.notFound("job type", type));
    }

    private static Reply twin(Cluster twin) {
        return exists(
                twin,
                "Cluster " + twin.id() + " has this name, platform and base domain and is " + twin.status()
                        + "; destroy it first.");
    }

    /** The id that was asked for is that of another cluster. */
    private static Reply taken(Cluster other) {
        return exists(
                other,
                "There is a cluster with the id " + other.id() + ", which is " + other.status()
                        + "; choose another id, or leave it out.");
    }

    private static Reply exists(Cluster other, String message) {
        return conflict(Facts.with("code", "CLUSTER_EXISTS")
                .and("message", message)
                .and("cluster_id", other.id())
                .and("state", other.status()));
    }

    /** Why nothing was started, if this compatible API has words of its own for it; else the problem is thrown. */
    private Reply conflictOf(Submission.Refused answer) {
        Refusal refusal = answer.refusal();
        if (refusal instanceof RunRefusal.WrongState wrong) {
            return conflict(Facts.with("code", INVALID_STATE)
                    .and("message", RefusalFacts.sentence(refusal))
                    .and("state", wrong.state())
                    .and("allowed", wrong.allowed().stream().sorted().toList()));
        }
        if (answer.incumbent().isPresent() || refusal instanceof Refusal.Held) {
            return conflict(Facts.with("code", "LOCK_HELD_BY_OTHER_WORKER")
                    .and("message", RefusalFacts.sentence(refusal))
                    .orNull("job_id", answer.incumbent().orElse(null)));
        }
        throw runs.problem(refusal);
    }

    private static Reply conflict(Facts error) {
        return Reply.conflict(Facts.with("error", error));
    }

    /** What the engine calls {@link RunError#WRONG_STATE}. */
    static final String INVALID_STATE = "INVALID_STATE";

    private static Facts clusterJson(Cluster cluster) {
        return Facts.with("id", cluster.id())
                .and("name", cluster.id().name())
                .orNull("platform", cluster.id().platform())
                .orNull("base_domain", cluster.id().baseDomain())
                .and("status", cluster.status())
                .orNull("expires_at", cluster.expiresAt());
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
        return parameters.put("type", CompatRuns.type(job));
    }

    private static Facts jobJson(Run run) {
        RunError error = run.status().error();
        return Facts.with("job_id", run.id())
                .and("cluster_id", run.key().name().substring(ClusterId.KEYS.length()))
                .and("type", CompatRuns.type(run.job().value()))
                .and("status", status(run.state()))
                .orNull("error_code", error == null ? null : code(error))
                .orNull("error_message", error == null ? null : error.message())
                .and("attempt", run.status().attempts())
                .and("max_attempts", run.spec().retry().attempts())
                .and("created_at", run.submittedAt())
                .orNull("started_at", CompatRuns.startedAt(run))
                .orNull("ended_at", CompatRuns.endedAt(run));
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
