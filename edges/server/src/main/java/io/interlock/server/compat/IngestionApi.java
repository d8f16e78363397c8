package io.interlock.server.compat;

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
import io.interlock.service.Facts;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The ingestion of an event is a run of the one job of this compatible API, its lock the key {@code event/{id}}. */
public final class IngestionApi {

    public static final String DOCUMENT = "compat/ingestion.yaml";

    private static final String FULL = "laps_full";
    private static final Duration ASK_AGAIN = Duration.ofMillis(250);

    private final OperationContext context;
    private final CompatRuns runs;

    IngestionApi(OperationContext context, Collection<JobSettings> jobs) {
        this.context = context;
        this.runs = new CompatRuns(context, CompatApi.INGESTION, jobs);
    }

    static Operations operations(OperationContext context, Collection<JobSettings> jobs) {
        IngestionApi api = new IngestionApi(context, jobs);
        return new Operations()
                .on("ingestEvent", api::ingest)
                .on("ingestSourceEvent", api::ingestSource)
                .on("getIngestion", context.blocking(api::get));
    }

    private CompletionStage<Reply> ingest(Call call) {
        JobSettings job = job();
        String event = call.required("event_id", String.class);
        Duration wait = call.patienceByParameter();
        LockKey key = key(call, event);
        return context.blocking(call, () -> origin(call.tenant(), event))
                .thenCompose(origin -> start(call, CompatRuns.request(call, key, job), event, origin, wait));
    }

    private CompletionStage<Reply> ingestSource(Call call) {
        JobSettings job = job();
        String source = String.valueOf(call.body().getValue("source_event_id"));
        String track = String.valueOf(call.body().getValue("track_id"));
        Duration wait = call.patienceByParameter();
        JsonObject origin = new JsonObject().put("source_event_id", source).put("track_id", track);
        return context.blocking(call, () -> eventOf(call, source, track))
                .thenCompose(
                        event -> start(call, CompatRuns.request(call, key(call, event), job), event, origin, wait));
    }

    private CompletionStage<Reply> start(Call call, RunRequest plain, String event, JsonObject origin, Duration wait) {
        JsonObject parameters = new JsonObject().put("event_id", event).mergeIn(origin);
        RunRequest told = plain.parameters(parameters.encode());
        RunRequest request = wait.isZero() ? told : told.retryOnConflict((int) wait.dividedBy(ASK_AGAIN), ASK_AGAIN);
        return runs.submit(call, request).thenCompose(answer -> context.blocking(call, () -> answer(answer, event)));
    }

    private Reply answer(Submission answer, String event) {
        if (answer instanceof Submission.Refused refused) {
            if (answer.incumbent().isEmpty() && !(refused.refusal() instanceof Refusal.Held)) {
                throw runs.problem(refused.refusal());
            }
            return Reply.conflict(inProgress(answer.key(), event, answer.incumbent()));
        }
        String status = answer instanceof Submission.Queued ? "queued" : "started";
        return Reply.accepted(Facts.with("run_id", answer.orElseThrow().id())
                .and("event_id", event)
                .and("status", answer instanceof Submission.Joined ? "running" : status));
    }

    private JobSettings job() {
        List<JobSettings> all = runs.jobs();
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

    private Reply get(Call call) {
        String event = call.required("event_id", String.class);
        return Reply.ok(state(key(call, event), event));
    }

    /** How the ingestion of an event stands. Blocks. */
    Facts state(LockKey key, String event) {
        RunQuery all = RunQuery.ofTenant(key.tenant()).of(key);
        Optional<Run> under = runs.held(key).flatMap(KeyView::currentRun).filter(run -> run.state() != RunState.QUEUED);
        Optional<Run> open = under.or(() -> unsettled(all));
        Optional<Run> last = open.or(() -> runs.newest(all));
        Depth depth = depth(key, all);
        return Facts.with("event_id", event)
                .and("ingest_depth", depth.full() ? FULL : Resource.UNTOUCHED)
                .orNull("last_ingested_at", depth.since())
                .and("running", open.isPresent())
                .orNull("stage", last.map(CompatRuns::stage).orElse(null))
                .orNull("progress", last.map(CompatRuns::progress).orElse(null))
                .orNull("run_id", last.map(Run::id).orElse(null))
                .orNull("error", last.map(IngestionApi::error).orElse(null));
    }

    /** A run that does not have the key and is not over either: its worker died just now, or it rests before its next attempt. */
    private Optional<Run> unsettled(RunQuery all) {
        return runs.newest(all.in(RunState.RUNNING))
                .or(() -> context.engine().list(all.in(RunState.QUEUED)).runs().stream()
                        .filter(run -> run.status().attempts() > 0)
                        .findFirst());
    }

    private record Depth(boolean full, @Nullable Instant since) {}

    /**
     * The resource says it: what it was when no run moved it last, so an event that is ingested again, or fails to be, is as complete as
     * it was. Runs are asked only where a job has no transition, or the resource is older than its time: they are forgotten one day.
     */
    private Depth depth(LockKey key, RunQuery all) {
        Optional<Resource> event = context.engine()
                .resource(key)
                .filter(known -> known.settledState().equals(FULL));
        if (event.isPresent() && event.get().settledAt() != null) {
            return new Depth(true, event.get().settledAt());
        }
        Optional<Run> done = runs.newest(all.in(RunState.SUCCEEDED));
        return new Depth(
                event.isPresent() || done.isPresent(),
                done.map(CompatRuns::endedAt).orElse(null));
    }

    private static @Nullable Facts error(Run run) {
        RunError error = run.status().error();
        return error == null
                ? null
                : Facts.with("code", run.state() == RunState.TIMED_OUT ? "INGESTION_TIMEOUT" : error.code())
                        .and("message", error.message())
                        .orNull("stage", CompatRuns.stage(run));
    }

    /** Who ingests the event already. */
    private Facts inProgress(LockKey key, String event, Optional<RunId> incumbent) {
        Optional<KeyView> view = runs.held(key);
        Optional<Run> run = view.flatMap(KeyView::currentRun);
        Instant since = view.flatMap(CompatRuns::since).orElse(null);
        String stage = run.map(CompatRuns::stage).orElse(null);
        String message = "Ingestion of event " + event + " is already running"
                + (stage == null ? "" : ", at stage " + stage)
                + (since == null ? "" : ", since " + TimeText.format(since)) + ".";
        Facts details = Facts.none()
                .orNull("run_id", incumbent.or(() -> run.map(Run::id)).orElse(null))
                .orNull("stage", stage)
                .orNull("since", since);
        return Facts.with(
                "error",
                Facts.with("code", "INGESTION_IN_PROGRESS")
                        .and("message", message)
                        .and("details", details));
    }

    /**
     * The event that {@code source} became; created if there is none. The resource of a source event says which event it became; it is set
     * once, so of many who want one created one creates it, and all get the same. Blocks.
     */
    private String eventOf(Call call, String source, String track) {
        RunEngine engine = context.engine();
        RandomGenerator random = context.environment().random();
        LockKey key = LockKey.of(call.tenant(), "source-event/" + source);
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
        engine.setResource(originKey(call.tenant(), event), "event-origin", origin, 0, call.actor(), "created");
        ResourceAnswer answer = engine.setResource(key, "source-event", event, 0, call.actor(), "created");
        return answer instanceof ResourceAnswer.Changed
                ? event
                : ((ResourceAnswer.Mismatch) answer).current().orElseThrow().state();
    }

    /** What is known about where an event comes from; empty for one that was not created here. Blocks. */
    private JsonObject origin(String tenant, String event) {
        return context.engine()
                .resource(originKey(tenant, event))
                .map(origin -> new JsonObject(origin.state()))
                .orElseGet(JsonObject::new);
    }

    private static LockKey originKey(String tenant, String event) {
        return LockKey.of(tenant, "event-origin/" + event);
    }
}
