package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.engine.Job;
import io.interlock.engine.RemoteWork;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.StoreTest;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** The workflows compatible API, as its document has it: every body. */
class WorkflowsTest extends StoreTest {

    private final HandWork work = new HandWork();
    private CompatRig rig;

    @BeforeParameterizedClassInvocation
    void open() {
        rig = CompatRig.on(
                store(),
                WorkflowApi.DOCUMENT,
                Stream.concat(
                                Stream.of("aborts", "events", "raced", "looked", "forced", "paused")
                                        .map(name -> Job.named(name).onConflict(ConflictPolicy.REJECT)),
                                Stream.of(
                                        Job.named("expires")
                                                .lease(Duration.ofSeconds(2))
                                                .maxRuntime(Duration.ofSeconds(2))
                                                .grace(Duration.ZERO),
                                        Job.named("queues").onConflict(ConflictPolicy.QUEUE)))
                        .map(job -> job.handler(work))
                        .map(job -> CompatRig.job(
                                CompatApi.WORKFLOWS,
                                job,
                                job.build().name().value(),
                                "on-" + job.build().name()))
                        .toList());
    }

    @AfterParameterizedClassInvocation
    void close() {
        rig.closeAll();
    }

    @Test
    void anExecutionIsAborted() {
        String id = start("aborts");
        work.working(id);
        assertThat(rig.post("/api/executions/" + id + "/abort", Role.TRIGGER, "{\"reason\": \"wrong month\"}")
                        .is(202)
                        .json())
                .isEqualTo(new JsonObject()
                        .put("success", true)
                        .put("executionId", id)
                        .put("status", "RUNNING"));
        ends(id, "ABORTED");
        assertThat(rig.post("/api/executions/" + id + "/abort", Role.TRIGGER, "")
                        .is(409)
                        .text("details"))
                .contains("is ABORTED already");
        work.succeed(start("aborts"));
    }

    @Test
    void anExecutionOverItsTimeoutHasFailedAndTheNextStarts() {
        String id = start("expires");
        work.working(id);
        await().atMost(Duration.ofSeconds(20))
                .until(() ->
                        rig.post("/api/webhooks/expires", Role.TRIGGER, "{}").status() == 200);
        ends(id, "FAILED");
        rig.post("/api/workflows/locks/cleanup", Role.OPERATOR, "").is(200);
    }

    @Test
    void theSameEventIsTheSameExecutionAndComesBeforeTheLock() {
        Answer first = rig.post("/api/webhooks/on-events", Role.TRIGGER, "{\"eventId\": \"evt_1\", \"amount\": 7}")
                .is(200);
        String id = first.text("executionId");
        assertThat(first.json())
                .isEqualTo(new JsonObject()
                        .put("success", true)
                        .put("executionId", id)
                        .put("duplicate", false));
        Answer again = rig.post("/api/webhooks/on-events", Role.TRIGGER, "{\"eventId\": \"evt_1\", \"amount\": 8}")
                .is(200);
        assertThat(again.text("executionId")).as("bodies are not compared").isEqualTo(id);
        assertThat(again.json().getBoolean("duplicate")).isTrue();
        String trigger = rig.key(Role.TRIGGER);
        assertThat(rig.post("/api/webhooks/on-events", trigger, "{}", "Idempotency-Key", "evt_1")
                        .is(200)
                        .text("executionId"))
                .isEqualTo(id);
        assertThat(rig.post("/api/webhooks/on-events", trigger, "{}", "webhook-id", "evt_1")
                        .is(200)
                        .text("executionId"))
                .isEqualTo(id);
        rig.post("/api/webhooks/events", trigger, "{\"eventId\": \"evt_1\"}").is(409);
        assertThat(new JsonObject(work.working(id).run().spec().parameters()).getInteger("amount"))
                .isEqualTo(7);
        work.succeed(id);
        ends(id, "SUCCESS");
        assertThat(rig.post("/api/webhooks/on-events", trigger, "{\"eventId\": \"evt_1\"}")
                        .json()
                        .getBoolean("duplicate"))
                .as("also after it has ended")
                .isTrue();
    }

    @Test
    void anEventIsJsonWhateverItsSenderCallsIt() {
        Set<String> executions = new HashSet<>();
        // What a browser's fetch and curl send by default; what other senders send; nothing at all.
        for (String type : List.of(
                "text/plain;charset=UTF-8", "application/x-www-form-urlencoded", "application/cloudevents+json", "")) {
            HttpRequest.Builder request = rig.request("/api/webhooks/events", rig.key(Role.TRIGGER));
            if (!type.isEmpty()) {
                request.header("Content-Type", type);
            }
            executions.add(rig.send(request.POST(BodyPublishers.ofString("{\"eventId\": \"typed\", \"amount\": 7}"))
                            .build())
                    .is(200)
                    .text("executionId"));
        }
        assertThat(executions).as("one event").hasSize(1);
        String id = executions.iterator().next();
        assertThat(new JsonObject(work.working(id).run().spec().parameters()).getInteger("amount"))
                .isEqualTo(7);
        work.succeed(id);
        Answer form = rig.send(rig.request("/api/webhooks/events", rig.key(Role.TRIGGER))
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString("eventId=1"))
                .build());
        assertThat(form.is(400).json().getString("details")).contains("is not JSON");
    }

    @Test
    void whoLostTheRaceIsToldSo() {
        rig.engine
                .leases()
                .acquire(
                        key("raced"),
                        new RemoteWork.Caller(
                                LeaseId.random(rig.environment.random()), new Holder("script", "a script")),
                        Duration.ofSeconds(30),
                        Duration.ZERO)
                .toCompletableFuture()
                .join();
        assertThat(rig.post("/api/webhooks/raced", Role.TRIGGER, "{}").is(409).json())
                .isEqualTo(new JsonObject()
                        .put("success", false)
                        .put("error", "Concurrent execution attempted")
                        .put("details", "Another concurrent request acquired the execution lock"));
    }

    @Test
    void theLockTellsWhoSinceWhenAndUntilWhen() {
        String id = start("looked");
        work.working(id);
        JsonObject lock = lock("looked");
        assertThat(lock.getBoolean("isLocked")).isTrue();
        assertThat(lock.getString("executionId")).isEqualTo(id);
        assertThat(lock.getString("lockedSince")).endsWith("Z");
        assertThat(lock.getString("expiresAt")).isGreaterThan(lock.getString("lockedSince"));
        assertThat(lock.getBoolean("isStale")).isFalse();
        work.succeed(id);
    }

    @Test
    void anOperatorReleasesByForce() {
        String id = start("forced");
        work.working(id);
        assertThat(rig.delete("/api/workflows/forced/lock?reason=dead", Role.OPERATOR)
                        .is(200)
                        .number("releasedToken"))
                .isPositive();
        ends(id, "ABORTED");
        await().until(() -> !lock("forced").getBoolean("isLocked"));
        rig.delete("/api/workflows/forced/lock?reason=dead", Role.OPERATOR).is(404);
    }

    @Test
    void aWorkflowMayQueue() {
        String first = start("queues");
        work.working(first);
        String second = start("queues");
        assertThat(execution(second).getString("status")).isEqualTo("PENDING");
        work.succeed(first);
        work.working(second);
        work.succeed(second);
        ends(second, "SUCCESS");
    }

    @Test
    void aPausedWorkflowIsNotSaidToExecute() {
        rig.engine.pause(CompatRig.TENANT, "workflow/paused", "ops", "upgrade", null);
        assertThat(rig.post("/api/webhooks/paused", Role.TRIGGER, "{}").is(409).text("details"))
                .contains("upgrade");
    }

    @Test
    void badInputIsToldInTheShapeOfTheDoor() {
        fails(404, rig.post("/api/webhooks/nowhere", Role.TRIGGER, "{}"));
        fails(400, rig.post("/api/webhooks/events", Role.TRIGGER, "{"));
        fails(400, rig.post("/api/webhooks/events", Role.TRIGGER, "[]"));
        fails(400, rig.post("/api/webhooks/events", Role.TRIGGER, "{\"eventId\": true}"));
        fails(400, rig.post("/api/webhooks/events", Role.TRIGGER, "{\"eventId\": \"" + "x".repeat(151) + "\"}"));
        fails(400, rig.post("/api/webhooks/events", Role.TRIGGER, "{\"a\": \"" + "x".repeat(70_000) + "\"}"));
        fails(413, rig.post("/api/webhooks/events", Role.TRIGGER, "{\"a\": \"" + "x".repeat(300_000) + "\"}"));
        fails(404, rig.get("/api/workflows/nowhere/lock", Role.READ));
        fails(404, rig.delete("/api/workflows/nowhere/lock?reason=x", Role.OPERATOR));
        fails(400, rig.delete("/api/workflows/events/lock", Role.OPERATOR));
        fails(400, rig.post("/api/workflows/locks/cleanup", Role.OPERATOR, "{\"all\": true}"));
        fails(404, rig.get("/api/executions/nowhere", Role.READ));
        fails(404, rig.get("/api/executions/00000000-0000-7000-8000-000000000000", Role.READ));
        fails(404, rig.post("/api/executions/nowhere/abort", Role.TRIGGER, ""));
        fails(405, rig.get("/api/webhooks/events", Role.READ));
    }

    @Test
    void eachRouteHasItsRoleAndTenantsAreApart() {
        fails(401, rig.post("/api/webhooks/events", (String) null, "{}"));
        fails(403, rig.post("/api/webhooks/events", Role.READ, "{}"));
        fails(403, rig.delete("/api/workflows/events/lock?reason=x", Role.TRIGGER));
        fails(403, rig.post("/api/workflows/locks/cleanup", Role.TRIGGER, ""));
        String theirs = rig.post("/api/webhooks/events", rig.key("other", Role.TRIGGER), "{}")
                .is(200)
                .text("executionId");
        fails(404, rig.get("/api/executions/" + theirs, Role.READ));
        fails(404, rig.post("/api/executions/" + theirs + "/abort", Role.TRIGGER, ""));
        work.succeed(theirs);
    }

    private static void fails(int status, Answer answer) {
        answer.is(status);
        assertThat(answer.json().getBoolean("success")).isFalse();
        assertThat(answer.text("error")).isNotBlank();
        assertThat(answer.text("details")).isNotBlank();
        assertThat(answer.header("Content-Type")).isEqualTo("application/json");
    }

    private String start(String trigger) {
        return rig.post("/api/webhooks/" + trigger, Role.TRIGGER, "{}").is(200).text("executionId");
    }

    private JsonObject ends(String id, String status) {
        await().atMost(Duration.ofSeconds(20))
                .until(() -> execution(id).getString("status").equals(status));
        assertThat(execution(id).getString("finishedAt")).endsWith("Z");
        return execution(id);
    }

    private JsonObject execution(String id) {
        return rig.get("/api/executions/" + id, Role.READ).is(200).json();
    }

    private JsonObject lock(String workflow) {
        return rig.get("/api/workflows/" + workflow + "/lock", Role.READ)
                .is(200)
                .json();
    }

    private static LockKey key(String workflow) {
        return LockKey.of(CompatRig.TENANT, "workflow/" + workflow);
    }
}
