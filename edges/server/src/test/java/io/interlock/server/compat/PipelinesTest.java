package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.engine.Job;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.StoreTest;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** The pipelines compatible API, as its document has it: every status, every message. */
class PipelinesTest extends StoreTest {

    private final HandWork work = new HandWork();
    private CompatRig rig;
    private CompatRig expiring;

    @BeforeParameterizedClassInvocation
    void open() {
        rig = CompatRig.on(
                store(),
                PipelineApi.DOCUMENT,
                Stream.of("told", "released", "restarted", "listed", "paused")
                        .map(name -> CompatRig.job(
                                CompatApi.PIPELINES,
                                Job.named(name).onConflict(ConflictPolicy.JOIN).handler(work)))
                        .toList());
        expiring = CompatRig.on(
                "memory:",
                PipelineApi.DOCUMENT,
                List.of(
                        CompatRig.job(
                                CompatApi.PIPELINES,
                                Job.named("expires")
                                        .onConflict(ConflictPolicy.JOIN)
                                        .lease(Duration.ofSeconds(2))
                                        .maxRuntime(Duration.ofSeconds(2))
                                        .grace(Duration.ZERO)
                                        .handler(work)),
                        CompatRig.job(CompatApi.NONE, Job.named("other").handler(work)),
                        CompatRig.job(
                                CompatApi.PIPELINES,
                                Job.named("refuses")
                                        .onConflict(ConflictPolicy.REJECT)
                                        .handler(work)),
                        CompatRig.job(
                                CompatApi.PIPELINES, Job.named("unclaimed").onConflict(ConflictPolicy.JOIN)),
                        CompatRig.job(
                                CompatApi.PIPELINES,
                                Job.named("deserted")
                                        .onConflict(ConflictPolicy.JOIN)
                                        .maxWait(Duration.ofSeconds(2)))));
    }

    @AfterParameterizedClassInvocation
    void close() {
        rig.closeAll();
        expiring.closeAll();
    }

    @Test
    void aRunOverItsTimeoutIsTimedOutAndTheNextStarts() {
        String id = expiring.post("/pipelines/run/expires", Role.TRIGGER, "")
                .is(200)
                .text("pipeline_logging_id");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> expiring.get("/pipelines/runs/" + id, Role.READ)
                        .text("status")
                        .equals("TIMED_OUT"));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> !expiring.post("/pipelines/run/expires", Role.TRIGGER, "")
                        .text("pipeline_logging_id")
                        .equals(id));
    }

    @Test
    void aRunTellsWhoTriggeredItHowFarItIsAndHowLongItTook() {
        String id = rig.post("/pipelines/run/told", Role.TRIGGER, """
                {"trigger_by": "api_user", "parameters": {"month": "2026-10"}}""").is(200).text("pipeline_logging_id");
        assertThat(work.working(id).run().spec().parameters()).isEqualTo("{\"month\":\"2026-10\"}");
        work.working(id).progress(12, 20);
        work.working(id).stage("load");
        await().until(() -> rig.get("/pipelines/runs/" + id, Role.READ).json().getJsonObject("progress") != null);
        JsonObject running = rig.get("/pipelines/runs/" + id, Role.READ).is(200).json();
        assertThat(running.getString("locked_by")).isEqualTo("api_user");
        assertThat(running.getString("stage")).isEqualTo("load");
        assertThat(running.getJsonObject("progress"))
                .isEqualTo(new JsonObject().put("done", 12).put("total", 20));
        assertThat(running.getValue("ended_at")).isNull();
        assertThat(running.getValue("error")).isNull();
        work.succeed(id);
        await().until(() -> status(id).equals("COMPLETE"));
        assertThat(rig.get("/pipelines/runs/" + id, Role.READ).json().getDouble("duration_seconds"))
                .isNotNegative();
    }

    @Test
    void activeLocksAreListedWithTheirRecord() {
        String id = rig.post("/pipelines/run/listed", Role.TRIGGER, "{\"trigger_by\": \"cron\"}")
                .is(200)
                .text("pipeline_logging_id");
        work.working(id);
        JsonObject lock = lock("listed").orElseThrow();
        assertThat(lock.getString("pipeline_logging_id")).isEqualTo(id);
        assertThat(lock.getString("tenant_id")).isEqualTo("acme1281");
        assertThat(lock.getString("locked_by")).isEqualTo("cron");
        assertThat(lock.getString("locked_at")).endsWith("Z");
        assertThat(lock.getLong("token")).isPositive();
        work.succeed(id);
        await().until(() -> lock("listed").isEmpty());
    }

    @Test
    void anOperatorReleasesByForceAndMayNameTheTokenThatWasSeen() {
        String id = start("released");
        work.working(id);
        long token = lock("released").orElseThrow().getLong("token");
        rig.delete("/pipelines/locks/released?reason=stuck&token=" + (token + 1), Role.OPERATOR)
                .isProblem(412, "token-stale");
        Answer released = rig.delete("/pipelines/locks/released?reason=stuck", Role.OPERATOR)
                .is(200);
        assertThat(released.json()).isEqualTo(new JsonObject().put("releasedToken", token));
        await().until(() -> status(id).equals("ABORTED"));
        await().until(() -> lock("released").isEmpty());
        rig.delete("/pipelines/locks/released?reason=stuck", Role.OPERATOR).isProblem(404, "not-found");
    }

    @Test
    void aRunNoWorkerHasTakenIsCancelledByForce() {
        String id = expiring.post("/pipelines/run/unclaimed", Role.TRIGGER, "")
                .is(200)
                .text("pipeline_logging_id");
        assertThat(expiring.delete("/pipelines/locks/unclaimed?reason=no+worker", Role.OPERATOR)
                        .is(200)
                        .json()
                        .getValue("releasedToken"))
                .isNull();
        assertThat(expiring.get("/pipelines/runs/" + id, Role.READ).text("status"))
                .isEqualTo("ABORTED");
    }

    @Test
    void aLockKeptForAWorkerThatNeverComesTellsWhenItOpensAndDoes() {
        String id = expiring.post("/pipelines/run/deserted", Role.TRIGGER, "")
                .is(200)
                .text("pipeline_logging_id");
        JsonObject lock = expiring.get("/pipelines/locks", Role.READ).json().getJsonArray("locks").stream()
                .map(JsonObject.class::cast)
                .filter(found -> found.getString("pipeline_id").equals("deserted"))
                .findFirst()
                .orElseThrow();
        assertThat(Duration.between(lock.getInstant("locked_at"), lock.getInstant("expires_at")))
                .isEqualTo(Duration.ofSeconds(2));
        await().atMost(Duration.ofSeconds(20))
                .until(() -> !expiring.post("/pipelines/run/deserted", Role.TRIGGER, "")
                        .text("pipeline_logging_id")
                        .equals(id));
        JsonObject ended =
                expiring.get("/pipelines/runs/" + id, Role.READ).is(200).json();
        assertThat(ended.getString("status")).isEqualTo("FAILED");
        assertThat(ended.getJsonObject("error").getString("code")).isEqualTo("NO_WORKER");
    }

    @Test
    void aPipelineMayRefuseInsteadOfJoining() {
        String id = expiring.post("/pipelines/run/refuses", Role.TRIGGER, "")
                .is(200)
                .text("pipeline_logging_id");
        expiring.post("/pipelines/run/refuses", Role.TRIGGER, "").isProblem(409, "lock-held");
        work.succeed(id);
    }

    @Test
    void aPausedPipelineIsRefusedWithTheReason() {
        rig.engine.pause("acme1281", "pipeline/paused", "ops", "month end", null);
        assertThat(rig.post("/pipelines/run/paused", Role.TRIGGER, "")
                        .isProblem(409, "key-paused")
                        .text("reason"))
                .isEqualTo("month end");
    }

    @Test
    void badInputIsToldInTheShapeOfTheDoor() {
        rig.post("/pipelines/run/nowhere", Role.TRIGGER, "").isProblem(404, "not-found");
        expiring.post("/pipelines/run/other", Role.TRIGGER, "").isProblem(404, "not-found");
        rig.post("/pipelines/run/told", Role.TRIGGER, "{\"trigger_by\": 7}").isProblem(400, "invalid-request");
        rig.post("/pipelines/run/told", Role.TRIGGER, "{\"parameters\": []}").isProblem(400, "invalid-request");
        rig.post("/pipelines/run/told", Role.TRIGGER, "{\"triggered_by\": \"x\"}")
                .isProblem(400, "invalid-request");
        rig.post("/pipelines/run/told", Role.TRIGGER, "{\"trigger_by\": \"" + "x".repeat(91) + "\"}")
                .isProblem(400, "invalid-request");
        rig.post("/pipelines/run/told", Role.TRIGGER, "{").isProblem(400, "invalid-request");
        rig.post("/pipelines/run/told", Role.TRIGGER, "{\"parameters\": {\"a\": \"" + "x".repeat(70_000) + "\"}}")
                .isProblem(400, "invalid-request");
        rig.post("/pipelines/run/told", Role.TRIGGER, "{\"parameters\": {\"a\": \"" + "x".repeat(300_000) + "\"}}")
                .isProblem(413, "body-too-large");
        rig.post("/pipelines/run/a%2Fb", Role.TRIGGER, "").isProblem(400, "invalid-request");
        rig.get("/pipelines/runs/nowhere", Role.READ).isProblem(404, "not-found");
        rig.get("/pipelines/runs/00000000-0000-7000-8000-000000000000", Role.READ)
                .isProblem(404, "not-found");
        rig.get("/pipelines/locks?colour=red", Role.READ).isProblem(400, "invalid-request");
        rig.delete("/pipelines/locks/told", Role.OPERATOR).isProblem(400, "invalid-request");
        rig.delete("/pipelines/locks/told?reason=x&token=zero", Role.OPERATOR).isProblem(400, "invalid-request");
        rig.delete("/pipelines/run/told", Role.OPERATOR).isProblem(405, "method-not-allowed");
    }

    @Test
    void eachRouteHasItsRole() {
        rig.post("/pipelines/run/told", (String) null, "").isProblem(401, "unauthenticated");
        rig.post("/pipelines/run/told", "wrong", "").isProblem(401, "unauthenticated");
        rig.post("/pipelines/run/told", Role.READ, "").isProblem(403, "forbidden");
        rig.delete("/pipelines/locks/told?reason=x", Role.WORKER).isProblem(403, "forbidden");
        rig.get("/pipelines/locks", Role.READ).is(200);
    }

    private String start(String pipeline) {
        Answer started =
                rig.post("/pipelines/run/" + pipeline, Role.TRIGGER, "").is(200);
        assertThat(started.text("status")).isEqualTo("PENDING");
        return started.text("pipeline_logging_id");
    }

    private String status(String id) {
        return rig.get("/pipelines/runs/" + id, Role.READ).is(200).text("status");
    }

    private Optional<JsonObject> lock(String pipeline) {
        return rig.get("/pipelines/locks", Role.READ).is(200).json().getJsonArray("locks").stream()
                .map(JsonObject.class::cast)
                .filter(lock -> lock.getString("pipeline_id").equals(pipeline))
                .findFirst();
    }
}
