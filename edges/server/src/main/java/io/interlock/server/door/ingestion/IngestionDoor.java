package io.interlock.server.door.ingestion;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.Refusal;
import io.interlock.config.Door;
import io.interlock.config.JobSettings;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.server.api.Call;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.api.Workbench;
import io.interlock.server.door.DoorJobs;
import io.interlock.server.door.DoorRuns;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/** The ingestion of an event is a run of the one job of this door, its lock the key {@code event/{id}}. */
public final class IngestionDoor {

    /** The document of this door. */
    public static final String DOCUMENT = "door/ingestion.yaml";

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final Duration ASK_AGAIN = Duration.ofMillis(250);

    private final Workbench bench;
    private final DoorJobs jobs;
    private final EventRecords records;

    private IngestionDoor(Workbench bench, DoorJobs jobs) {
        this.bench = bench;
        this.jobs = jobs;
        this.records = new EventRecords(bench.engine(), bench.environment().random());
    }

    /** Answers the operations of this door. */
    public static Operations operations(Workbench bench, DoorJobs jobs) {
        IngestionDoor door = new IngestionDoor(bench, jobs);
        return new Operations()
                .on("ingestEvent", door::ingest)
                .on("ingestSourceEvent", door::ingestSource)
                .on("getIngestion", door::get);
    }

    private CompletionStage<Reply> ingest(Call call) {
        JobSettings job = job();
        String event = call.required("event_id", String.class);
        Duration wait = wait(call);
        LockKey key = key(call, event);
        return bench.blocking()
                .call(call.tenant(), () -> records.origin(call.tenant(), event))
                .thenCompose(origin -> start(call, DoorRuns.request(call, key, job), event, origin, wait));
    }

    private CompletionStage<Reply> ingestSource(Call call) {
        JobSettings job = job();
        String source = String.valueOf(call.body().getValue("source_event_id"));
        String track = String.valueOf(call.body().getValue("track_id"));
        Duration wait = wait(call);
        JsonObject origin = new JsonObject().put("source_event_id", source).put("track_id", track);
        return bench.blocking()
                .call(
                        call.tenant(),
                        () -> records.eventOf(
                                call.tenant(), source, track, call.caller().actor()))
                .thenCompose(event -> start(call, DoorRuns.request(call, key(call, event), job), event, origin, wait));
    }

    private CompletionStage<Reply> start(Call call, RunRequest plain, String event, JsonObject origin, Duration wait) {
        JsonObject parameters = new JsonObject().put("event_id", event).mergeIn(origin);
        RunRequest told = plain.parameters(parameters.encode());
        RunRequest request = wait.isZero() ? told : told.retryOnConflict((int) wait.dividedBy(ASK_AGAIN), ASK_AGAIN);
        return bench.waits()
                .until(call, bench.engine().submitAsync(request))
                .thenCompose(answer -> bench.blocking().call(call.tenant(), () -> answer(answer, event)));
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
            throw DoorRuns.problem(bench, refusal);
        }
        return new Reply(
                409, IngestionJson.inProgress(bench.engine(), answer.key(), event, answer.incumbent()), Map.of(), null);
    }

    private CompletionStage<Reply> get(Call call) {
        String event = call.required("event_id", String.class);
        LockKey key = key(call, event);
        return bench.blocking().call(call.tenant(), () -> Reply.ok(IngestionJson.of(bench.engine(), key, event)));
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
        List<JobSettings> all = jobs.of(Door.INGESTION);
        if (all.size() != 1) {
            String there = all.isEmpty()
                    ? "no job"
                    : "the jobs " + all.stream().map(JobSettings::name).toList();
            throw Problem.of(
                            ProblemCode.NOT_FOUND,
                            "There is " + there + " with door: ingestion; configure exactly one.")
                    .thrown();
        }
        return all.get(0);
    }

    private static LockKey key(Call call, String event) {
        return LockKey.of(call.tenant(), "event/" + event);
    }
}
