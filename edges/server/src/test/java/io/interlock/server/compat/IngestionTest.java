package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.engine.Job;
import io.interlock.run.RetryPlan;
import io.interlock.run.Transition;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.StoreTest;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** The ingestion compatible API, as its document has it: one at a time for each event, codes, stages, waiting. */
class IngestionTest extends StoreTest {

    private final HandWork work = new HandWork();
    private CompatRig rig;
    private CompatRig hurried;
    private CompatRig patient;

    @BeforeParameterizedClassInvocation
    void open() {
        Transition forward = new Transition("event", Set.of("none", "laps_full"), "ingesting", "laps_full", "previous");
        rig = CompatRig.on(
                store(),
                IngestionApi.DOCUMENT,
                List.of(CompatRig.job(
                        CompatApi.INGESTION,
                        Job.named("ingest")
                                .onConflict(ConflictPolicy.REJECT)
                                .transition(forward)
                                .handler(work))));
        hurried = CompatRig.on(
                "memory:",
                IngestionApi.DOCUMENT,
                List.of(CompatRig.job(
                        CompatApi.INGESTION,
                        Job.named("ingest")
                                .lease(Duration.ofSeconds(2))
                                .maxRuntime(Duration.ofSeconds(2))
                                .grace(Duration.ZERO)
                                .handler(work))));
        patient = CompatRig.on(
                "memory:",
                IngestionApi.DOCUMENT,
                List.of(CompatRig.job(
                        CompatApi.INGESTION,
                        Job.named("ingest")
                                .retry(new RetryPlan(2, Duration.ofHours(1), 1, Duration.ofHours(1)))
                                .handler(work))));
    }

    @AfterParameterizedClassInvocation
    void close() {
        rig.closeAll();
        hurried.closeAll();
        patient.closeAll();
    }

    @Test
    void theStateOfAnEventOnlyGoesForward() {
        assertThat(state("depth"))
                .isEqualTo(new JsonObject()
                        .put("event_id", "depth")
                        .put("ingest_depth", "none")
                        .putNull("last_ingested_at")
                        .put("running", false)
                        .putNull("stage")
                        .putNull("progress")
                        .putNull("run_id")
                        .putNull("error"));
        String first = ingest("depth").is(202).text("run_id");
        work.working(first);
        assertThat(state("depth").getBoolean("running")).isTrue();
        assertThat(state("depth").getString("ingest_depth"))
                .as("not before it is through")
                .isEqualTo("none");
        work.succeed(first);
        await().until(() -> state("depth").getString("ingest_depth").equals("laps_full"));
        String since = state("depth").getString("last_ingested_at");
        assertThat(since).endsWith("Z");
        String second = ingest("depth").is(202).text("run_id");
        work.working(second);
        assertThat(state("depth").getString("ingest_depth")).isEqualTo("laps_full");
        work.fail(second, new IllegalStateException("page is gone"));
        await().until(() -> !state("depth").getBoolean("running"));
        JsonObject failed = state("depth");
        assertThat(failed.getString("ingest_depth")).isEqualTo("laps_full");
        assertThat(failed.getString("last_ingested_at")).isEqualTo(since);
        assertThat(failed.getJsonObject("error").getString("message")).contains("page is gone");
        assertThat(rig.engine
                        .resource(LockKey.of(CompatRig.TENANT, "event/depth"))
                        .orElseThrow()
                        .state())
                .as("what others read")
                .isEqualTo("laps_full");
    }

    @Test
    void aTimeoutTellsItsStage() {
        String run = hurried.post("/api/v1/events/slow/ingest", Role.TRIGGER, "")
                .is(202)
                .text("run_id");
        work.working(run).stage("laps");
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            JsonObject error = hurried.get("/api/v1/events/slow/ingestion", Role.READ)
                    .is(200)
                    .json()
                    .getJsonObject("error");
            return error != null
                    && error.getString("code").equals("INGESTION_TIMEOUT")
                    && "laps".equals(error.getString("stage"));
        });
    }

    @Test
    void anIngestionThatRestsBeforeItsNextAttemptIsNotOver() {
        String run = patient.post("/api/v1/events/rests/ingest", Role.TRIGGER, "")
                .is(202)
                .text("run_id");
        work.fail(run, new IllegalStateException("the source is away"));
        await().until(() -> resting().getJsonObject("error") != null);
        assertThat(resting().getBoolean("running")).isTrue();
        assertThat(resting().getString("run_id")).isEqualTo(run);
        patient.engine.cancel(RunId.parse(run), "ops", "no more of it");
        await().until(() -> !resting().getBoolean("running"));
        assertThat(resting().getString("run_id")).isEqualTo(run);
    }

    private JsonObject resting() {
        return patient.get("/api/v1/events/rests/ingestion", Role.READ).is(200).json();
    }

    @Test
    void whoWantsToWaitGetsItsTurn() {
        String first = ingest("waited").is(202).text("run_id");
        work.working(first);
        CompletableFuture<Answer> waiting = rig.postLater("/api/v1/events/waited/ingest?wait=20s", Role.TRIGGER, "");
        fails(409, "INGESTION_IN_PROGRESS", rig.post("/api/v1/events/waited/ingest?wait=300ms", Role.TRIGGER, ""));
        assertThat(waiting).isNotDone();
        work.succeed(first);
        Answer second = waiting.join().is(202);
        assertThat(second.text("run_id")).isNotEqualTo(first);
        work.succeed(second.text("run_id"));
    }

    @Test
    void aLongerWaitIsTheLongest() {
        for (String wait : List.of("30s", "99999d", "999999999999d")) {
            String run = rig.post("/api/v1/events/" + wait + "/ingest?wait=" + wait, Role.TRIGGER, "")
                    .is(202)
                    .text("run_id");
            work.succeed(run);
        }
    }

    @Test
    void aSourceEventIsCreatedOnceAndItsOriginIsToldToTheWork() {
        String body = "{\"source_event_id\": \"486677\", \"track_id\": 17}";
        List<Answer> answers =
                IntStream.range(0, 5)
                        .mapToObj(n -> rig.postLater("/api/v1/events/ingest", Role.TRIGGER, body))
                        .toList()
                        .stream()
                        .map(CompletableFuture::join)
                        .toList();
        List<Answer> started =
                answers.stream().filter(answer -> answer.status() == 202).toList();
        assertThat(started).as("one event, so one ingestion").hasSize(1);
        String event = started.get(0).text("event_id");
        String run = started.get(0).text("run_id");
        JsonObject expected = new JsonObject()
                .put("event_id", event)
                .put("source_event_id", "486677")
                .put("track_id", "17");
        assertThat(new JsonObject(work.working(run).run().spec().parameters())).isEqualTo(expected);
        work.succeed(run);
        await().until(() -> !state(event).getBoolean("running"));
        String again = ingest(event).is(202).text("run_id");
        assertThat(new JsonObject(work.working(again).run().spec().parameters()))
                .isEqualTo(expected);
        work.succeed(again);
        assertThat(rig.post("/api/v1/events/ingest", rig.key("other", Role.TRIGGER), body)
                        .is(202)
                        .text("event_id"))
                .isNotEqualTo(event);
    }

    @Test
    void badInputIsToldInTheShapeOfTheDoor() {
        fails(400, "INVALID_REQUEST", rig.post("/api/v1/events/x/ingest?wait=soon", Role.TRIGGER, ""));
        fails(400, "INVALID_REQUEST", rig.post("/api/v1/events/x/ingest", Role.TRIGGER, "{\"force\": true}"));
        fails(400, "INVALID_REQUEST", rig.post("/api/v1/events/a%2Fb/ingest", Role.TRIGGER, ""));
        fails(400, "INVALID_REQUEST", rig.post("/api/v1/events/ingest", Role.TRIGGER, ""));
        fails(400, "INVALID_REQUEST", rig.post("/api/v1/events/ingest", Role.TRIGGER, "{"));
        fails(400, "INVALID_REQUEST", rig.post("/api/v1/events/ingest", Role.TRIGGER, "{\"source_event_id\": \"1\"}"));
        fails(400, "INVALID_REQUEST", rig.post("/api/v1/events/ingest", Role.TRIGGER, """
                {"source_event_id": [], "track_id": "1"}"""));
        fails(
                413,
                "BODY_TOO_LARGE",
                rig.post(
                        "/api/v1/events/ingest",
                        Role.TRIGGER,
                        "{\"source_event_id\": \"" + "x".repeat(300_000) + "\"}"));
        fails(400, "INVALID_REQUEST", rig.get("/api/v1/events/x/ingestion?colour=red", Role.READ));
        fails(405, "METHOD_NOT_ALLOWED", rig.get("/api/v1/events/x/ingest", Role.READ));
    }

    @Test
    void eachRouteHasItsRoleAndTheOtherContractIsStillThere() {
        fails(401, "UNAUTHENTICATED", rig.post("/api/v1/events/x/ingest", (String) null, ""));
        fails(403, "FORBIDDEN", rig.post("/api/v1/events/x/ingest", Role.READ, ""));
        rig.get("/api/v1/runs", Role.READ).is(200);
        rig.get("/api/v1/events", Role.READ).is(404);
    }

    private static void fails(int status, String code, Answer answer) {
        answer.is(status);
        JsonObject error = answer.json().getJsonObject("error");
        assertThat(error.getString("code")).isEqualTo(code);
        assertThat(error.getString("message")).isNotBlank();
    }

    private Answer ingest(String event) {
        return rig.post("/api/v1/events/" + event + "/ingest", Role.TRIGGER, "");
    }

    private JsonObject state(String event) {
        return rig.get("/api/v1/events/" + event + "/ingestion", Role.READ)
                .is(200)
                .json();
    }
}
