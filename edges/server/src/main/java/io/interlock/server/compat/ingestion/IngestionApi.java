package io.interlock.server.compat.ingestion;

import io.interlock.Actor;
import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.TimeText;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.run.KeyView;
import io.interlock.run.Resource;
import io.interlock.run.Resource.ResourceAnswer;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunQuery;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.compat.CompatRuns;
import io.interlock.server.compat.CompatRuns.CompatJobs;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The ingestion of an event is a run of the one job of this compatible API, its lock the key {@code event/{id}}. */
public final class IngestionApi {

    public static final String DOCUMENT = "compat/ingestion.yaml";

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final Duration ASK_AGAIN = Duration.ofMillis(250);

    private final OperationContext context;
    private final CompatJobs jobs;
    private final EventRecords records;

    private IngestionApi(OperationContext context, CompatJobs jobs) {
        this.context = context;
        this.jobs = jobs;
        this.records = new EventRecords(context.engine(), context.environment().random());
    }

    public static Operations operations(OperationContext context, CompatJobs jobs) {
        IngestionApi api = new IngestionApi(context, jobs);
        return new Operations()
                .on("ingestEvent", api::ingest)
                .on("ingestSourceEvent", api::ingestSource)
                .on("getIngestion", api::get);
    }

    private CompletionStage<Reply> ingest(Call call) {
        JobSettings job = job();
        String event = call.required("event_id", String.class);
        Duration wait = wait(call);
        LockKey key = key(call, event);
        return context.blocking(call, () -> records.origin(call.tenant(), event))
                .thenCompose(origin -> start(call, CompatRuns.request(call, key, job), event, origin, wait));
    }

    private CompletionStage<Reply> ingestSource(Call call) {
        JobSettings job = job();
        String source = String.valueOf(call.body().getValue("source_event_id"));
        String track = String.valueOf(call.body().getValue("track_id"));
        Duration wait = wait(call);
        JsonObject origin = new JsonObject().put("source_event_id", source).put("track_id", track);
        return context.blocking(call, () -> records.eventOf(call.tenant(), source, track, call.actor()))
                .thenCompose(
                        event -> start(call, CompatRuns.request(call, key(call, event), job), event, origin, wait));
    }

    private CompletionStage<Reply> start(Call call, RunRequest plain, String event, JsonObject origin, Duration wait) {
        JsonObject parameters = new JsonObject().put("event_id", event).mergeIn(origin);
        RunRequest told = plain.parameters(parameters.encode());
        RunRequest request = wait.isZero() ? told : told.retryOnConflict((int) wait.dividedBy(ASK_AGAIN), ASK_AGAIN);
        return context.waits()
                .until(call, context.engine().submitAsync(request))
                .thenCompose(answer -> context.blocking(call, () -> answer(answer, event)));
    }

    private Reply answer(Submission answer, String event) {
        if (answer.isAccepted()) {
            String status = answer instanceof Submission.Queued ? "queued" : "started";
            return Reply.accepted(new JsonObject()
                    .put("run_id", answer.orElseThrow().id().toString())
                    .put("event_id", event)
                    .put("status", answer instanceof Submission.Joined ? "running" : status));
        }
        Refusal refusal = answer instanceof Submission.Rejected rejected
                ? rejected.refusal()
                : ((Submission.Skipped) answer).refusal();
        if (answer.incumbent().isEmpty() && !(refusal instanceof Refusal.Held)) {
            throw CompatRuns.problem(context, refusal);
        }
        return Reply.conflict(IngestionJson.inProgress(context.engine(), answer.key(), event, answer.incumbent()));
    }

    private CompletionStage<Reply> get(Call call) {
        String event = call.required("event_id", String.class);
        LockKey key = key(call, event);
        return context.blocking(call, () -> Reply.ok(IngestionJson.of(context.engine(), key, event)));
    }

    /** How long the caller would rather wait than be refused; at most 30 s, as everywhere. */
    private static Duration wait(Call call) {
        return call.optional("wait", String.class)
                .map(text -> {
                    try {
                        return DurationText.parse("wait", text);
                    } catch (InvalidSettingException invalid) {
                        throw Problem.invalid("query/wait", String.valueOf(invalid.getMessage()));
                    }
                })
                .map(wanted -> wanted.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wanted)
                .orElse(Duration.ZERO);
    }

    private JobSettings job() {
        List<JobSettings> all = jobs.of(CompatApi.INGESTION);
        if (all.size() != 1) {
            String there = all.isEmpty()
                    ? "no job"
                    : "the jobs " + all.stream().map(JobSettings::name).toList();
            throw Problem.of(
                    ProblemCode.NOT_FOUND, "There is " + there + " with api: ingestion; configure exactly one.");
        }
        return all.get(0);
    }

    private static LockKey key(Call call, String event) {
        return LockKey.of(call.tenant(), "event/" + event);
    }

    /**
     * Which event came from which source event. The resource of a source event says which event it became; it is set once, so of many
     * who want one created one creates it, and all get the same. All methods block.
     */
    static final class EventRecords {

        private final RunEngine engine;
        private final RandomGenerator random;

        EventRecords(RunEngine engine, RandomGenerator random) {
            this.engine = engine;
            this.random = random;
        }

        /** The event that {@code source} became; created if there is none. */
        String eventOf(String tenant, String source, String track, Actor actor) {
            LockKey key = LockKey.of(tenant, "source-event/" + source);
            Optional<Resource> known = engine.resource(key);
            if (known.isPresent()) {
                return known.get().state();
            }
            String event = new UUID(random.nextLong(), random.nextLong()).toString();
            String origin = new JsonObject()
                    .put("source_event_id", source)
                    .put("track_id", track)
                    .encode();
            // The origin is there before the event can be found.
            engine.setResource(originKey(tenant, event), "event-origin", origin, 0, actor, "created");
            ResourceAnswer answer = engine.setResource(key, "source-event", event, 0, actor, "created");
            return answer instanceof ResourceAnswer.Changed
                    ? event
                    : ((ResourceAnswer.Mismatch) answer).current().orElseThrow().state();
        }

        /** What is known about where an event comes from; empty for one that was not created here. */
        JsonObject origin(String tenant, String event) {
            return engine.resource(originKey(tenant, event))
                    .map(origin -> new JsonObject(origin.state()))
                    .orElseGet(JsonObject::new);
        }

        private static LockKey originKey(String tenant, String event) {
            return LockKey.of(tenant, "event-origin/" + event);
        }
    }

    /** How the ingestion of an event stands, in the words of this compatible API. */
    static final class IngestionJson {

        private static final String NONE = Resource.UNTOUCHED;
        private static final String FULL = "laps_full";

        private IngestionJson() {}

        /** How it stands. Blocks. */
        static JsonObject of(RunEngine engine, LockKey key, String event) {
            Optional<Run> under = CompatRuns.held(engine, key)
                    .flatMap(KeyView::currentRun)
                    .filter(run -> run.state() != RunState.QUEUED);
            Optional<Run> open = under.or(() -> unsettled(engine, key));
            Optional<Run> last =
                    open.or(() -> newest(engine, RunQuery.ofTenant(key.tenant()).of(key)));
            Depth depth = depth(engine, key);
            return new JsonObject()
                    .put("event_id", event)
                    .put("ingest_depth", depth.full() ? FULL : NONE)
                    .put("last_ingested_at", CompatRuns.time(depth.since()))
                    .put("running", open.isPresent())
                    .put("stage", last.map(CompatRuns::stage).orElse(null))
                    .put("progress", last.map(CompatRuns::progress).orElse(null))
                    .put("run_id", last.map(Run::id).map(RunId::toString).orElse(null))
                    .put("error", last.map(IngestionJson::error).orElse(null));
        }

        private record Depth(boolean full, Optional<Instant> since) {}

        /**
         * The resource says it: what it was when no run moved it last, so an event that is ingested again, or fails to be, is as complete as
         * it was. Runs are asked only where a job has no transition, or the resource is older than its time: they are forgotten one day.
         */
        private static Depth depth(RunEngine engine, LockKey key) {
            Optional<Resource> event = engine.resource(key);
            boolean full =
                    event.filter(known -> known.settledState().equals(FULL)).isPresent();
            if (full && event.get().settledAt() != null) {
                return new Depth(true, event.get().settledSince());
            }
            Optional<Run> done =
                    newest(engine, RunQuery.ofTenant(key.tenant()).of(key).in(RunState.SUCCEEDED));
            return new Depth(full || done.isPresent(), done.flatMap(CompatRuns::endedAt));
        }

        /** Who ingests the event already. Blocks. */
        static JsonObject inProgress(RunEngine engine, LockKey key, String event, Optional<RunId> incumbent) {
            Optional<KeyView> view = CompatRuns.held(engine, key);
            Optional<Run> run = view.flatMap(KeyView::currentRun);
            Optional<Instant> since = view.flatMap(KeyView::currentLease)
                    .map(lease -> lease.grantedAt())
                    .or(() -> run.map(kept -> kept.status().since()));
            String stage = run.map(CompatRuns::stage).orElse(null);
            return new JsonObject()
                    .put(
                            "error",
                            new JsonObject()
                                    .put("code", "INGESTION_IN_PROGRESS")
                                    .put(
                                            "message",
                                            "Ingestion of event " + event + " is already running"
                                                    + (stage == null ? "" : ", at stage " + stage)
                                                    + since.map(time -> ", since " + TimeText.format(time))
                                                            .orElse("") + ".")
                                    .put(
                                            "details",
                                            new JsonObject()
                                                    .put(
                                                            "run_id",
                                                            incumbent
                                                                    .or(() -> run.map(Run::id))
                                                                    .map(RunId::toString)
                                                                    .orElse(null))
                                                    .put("stage", stage)
                                                    .put("since", CompatRuns.time(since))));
        }

        private static @Nullable JsonObject error(Run run) {
            RunError error = run.status().error();
            if (error == null) {
                return null;
            }
            String code = run.state() == RunState.TIMED_OUT ? "INGESTION_TIMEOUT" : error.code();
            return new JsonObject()
                    .put("code", code)
                    .put("message", error.message())
                    .put("stage", CompatRuns.stage(run));
        }

        /** A run that does not have the key and is not over either: its worker died just now, or it rests before its next attempt. */
        private static Optional<Run> unsettled(RunEngine engine, LockKey key) {
            RunQuery all = RunQuery.ofTenant(key.tenant()).of(key);
            return newest(engine, all.in(RunState.RUNNING))
                    .or(() -> engine.list(all.in(RunState.QUEUED)).runs().stream()
                            .filter(run -> run.status().attempts() > 0)
                            .findFirst());
        }

        private static Optional<Run> newest(RunEngine engine, RunQuery query) {
            List<Run> found = engine.list(query.newestFirst().page(0, 1)).runs();
            return found.stream().findFirst();
        }
    }
}
