package io.interlock.server.compat.ingestion;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.compat.CompatJobs;
import io.interlock.server.compat.CompatRuns;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The ingestion of an event is a run of the one job of this compatible API, its lock the key {@code event/{id}}. */
public final class IngestionApi {

    /** The document of this compatible API. */
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

    /** Answers the operations of this compatible API. */
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
        return context.blocking()
                .call(call.tenant(), () -> records.origin(call.tenant(), event))
                .thenCompose(origin -> start(call, CompatRuns.request(call, key, job), event, origin, wait));
    }

    private CompletionStage<Reply> ingestSource(Call call) {
        JobSettings job = job();
        String source = String.valueOf(call.body().getValue("source_event_id"));
        String track = String.valueOf(call.body().getValue("track_id"));
        Duration wait = wait(call);
        JsonObject origin = new JsonObject().put("source_event_id", source).put("track_id", track);
        return context.blocking()
                .call(call.tenant(), () -> records.eventOf(call.tenant(), source, track, call.actor()))
                .thenCompose(
                        event -> start(call, CompatRuns.request(call, key(call, event), job), event, origin, wait));
    }

    private CompletionStage<Reply> start(Call call, RunRequest plain, String event, JsonObject origin, Duration wait) {
        JsonObject parameters = new JsonObject().put("event_id", event).mergeIn(origin);
        RunRequest told = plain.parameters(parameters.encode());
        RunRequest request = wait.isZero() ? told : told.retryOnConflict((int) wait.dividedBy(ASK_AGAIN), ASK_AGAIN);
        return context.waits()
                .until(call, context.engine().submitAsync(request))
                .thenCompose(answer -> context.blocking().call(call.tenant(), () -> answer(answer, event)));
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
        return new Reply(
                409,
                IngestionJson.inProgress(context.engine(), answer.key(), event, answer.incumbent()),
                Map.of(),
                null);
    }

    private CompletionStage<Reply> get(Call call) {
        String event = call.required("event_id", String.class);
        LockKey key = key(call, event);
        return context.blocking().call(call.tenant(), () -> Reply.ok(IngestionJson.of(context.engine(), key, event)));
    }

    /** How long the caller would rather wait than be refused; at most 30 s, as everywhere. */
    private static Duration wait(Call call) {
        return call.optional("wait", String.class)
                .map(text -> {
                    try {
                        return DurationText.parse("wait", text);
                    } catch (InvalidSettingException invalid) {
                        throw Problem.invalid("query/wait", String.valueOf(invalid.getMessage()))
                                .thrown();
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
                            ProblemCode.NOT_FOUND, "There is " + there + " with api: ingestion; configure exactly one.")
                    .thrown();
        }
        return all.get(0);
    }

    private static LockKey key(Call call, String event) {
        return LockKey.of(call.tenant(), "event/" + event);
    }
}
