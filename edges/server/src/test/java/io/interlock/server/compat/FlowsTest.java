package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.ConflictPolicy;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.engine.Job;
import io.interlock.engine.RemoteWork;
import io.interlock.run.RunQuery;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.StoreTest;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** The flows compatible API, as its document has it: time-outs, the debug endpoint, every status. */
class FlowsTest extends StoreTest {

    private final HandWork work = new HandWork();
    private CompatRig rig;

    @BeforeParameterizedClassInvocation
    void open() {
        rig = CompatRig.on(
                store(),
                FlowApi.DOCUMENT,
                Stream.concat(
                                Stream.of("readiness", "architecture")
                                        .map(name -> Job.named(name).handler(work)),
                                Stream.of(Job.named("stuck")
                                        .lease(Duration.ofSeconds(2))
                                        .maxRuntime(Duration.ofSeconds(2))
                                        .grace(Duration.ZERO)
                                        .handler(work)))
                        .map(job -> CompatRig.job(CompatApi.FLOWS, job.onConflict(ConflictPolicy.SKIP)))
                        .toList());
    }

    @AfterParameterizedClassInvocation
    void close() {
        rig.closeAll();
    }

    @Test
    void aPhaseOverItsTimeoutIsTimedOutAndTheNextStarts() {
        String first = resume("slow", "stuck").text("run_id");
        work.working(first);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> resume("slow", "stuck").text("status").equals("started"));
        assertThat(rig.engine
                        .list(RunQuery.ofTenant(CompatRig.TENANT)
                                .of(key("flow/slow/stuck"))
                                .in(RunState.TIMED_OUT))
                        .runs())
                .extracting(run -> run.id().toString())
                .contains(first);
    }

    @Test
    void theAnswerHasFlowPhaseAndRun() {
        Answer started = resume("flow-123", "readiness");
        assertThat(started.json())
                .isEqualTo(new JsonObject()
                        .put("status", "started")
                        .put("flow_id", "flow-123")
                        .put("phase", "readiness")
                        .put("run_id", started.text("run_id")));
        assertThat(new JsonObject(
                        work.working(started.text("run_id")).run().spec().parameters()))
                .isEqualTo(new JsonObject().put("flow_id", "flow-123").put("phase", "readiness"));
        work.succeed(started.text("run_id"));
    }

    @Test
    void withoutAPhaseAFlowGoesOnWhereItIs() {
        assertThat(rig.post("/flows/unknown/resume", Role.TRIGGER, "{}")
                        .isProblem(400, "invalid-request")
                        .response()
                        .body())
                .contains("no phase of this flow has run yet", "readiness", "architecture");
        String first = resume("flow-C", "readiness").text("run_id");
        work.working(first);
        for (String body : List.of("", "{}")) {
            Answer again = rig.post("/flows/flow-C/resume", Role.TRIGGER, body).is(200);
            assertThat(again.text("status")).isEqualTo("already_running");
            assertThat(again.text("phase")).isEqualTo("readiness");
            assertThat(again.text("run_id")).isEqualTo(first);
        }
        work.fail(first, new IllegalStateException("no agent"));
        await().until(() -> rig.post("/flows/flow-C/resume", Role.TRIGGER, "").text("status"), "started"::equals);
        String second = rig.post("/flows/flow-C/resume", Role.TRIGGER, "").text("run_id");
        assertThat(second).isNotEqualTo(first);
        work.end(second, "{\"next_phase\": \"architecture\"}");
        await().until(() -> rig.engine.find(RunId.parse(second)).orElseThrow().state() == RunState.SUCCEEDED);
        Answer next = rig.post("/flows/flow-C/resume", Role.TRIGGER, "").is(200);
        assertThat(next.text("phase")).isEqualTo("architecture");
        assertThat(next.text("status")).isEqualTo("started");
        work.end(next.text("run_id"), "{no JSON");
        await().until(
                        () -> rig.post("/flows/flow-C/resume", Role.TRIGGER, "")
                                .is(200)
                                .text("status"),
                        "started"::equals);
    }

    @Test
    void otherPhasesAndOtherFlowsAreFree() {
        List<Answer> started =
                List.of(resume("flow-A", "readiness"), resume("flow-A", "architecture"), resume("flow-B", "readiness"));
        assertThat(started).allSatisfy(each -> assertThat(each.text("status")).isEqualTo("started"));
        assertThat(resume("flow-A", "readiness").text("status")).isEqualTo("already_running");
        assertThat(rig.post("/flows/flow-A/resume", rig.key("other", Role.TRIGGER), "{\"phase\": \"readiness\"}")
                        .text("status"))
                .isEqualTo("started");
        started.forEach(each -> work.succeed(each.text("run_id")));
    }

    @Test
    void theDebugEndpointTellsSinceWhenAndAnOperatorReleases() {
        assertThat(rig.get("/debug/locks/watched/readiness", Role.READ).is(200).json())
                .isEqualTo(new JsonObject()
                        .put("locked", false)
                        .putNull("timestamp")
                        .putNull("elapsed_seconds")
                        .putNull("run_id"));
        String id = resume("watched", "readiness").text("run_id");
        work.working(id);
        JsonObject lock =
                rig.get("/debug/locks/watched/readiness", Role.READ).is(200).json();
        assertThat(lock.getBoolean("locked")).isTrue();
        assertThat(lock.getString("timestamp")).endsWith("Z");
        assertThat(lock.getDouble("elapsed_seconds")).isNotNegative();
        assertThat(lock.getString("run_id")).isEqualTo(id);
        assertThat(rig.delete("/debug/locks/watched/readiness?reason=stuck", Role.OPERATOR)
                        .is(200)
                        .number("releasedToken"))
                .isPositive();
        await().until(() -> !locked("watched", "readiness"));
        rig.delete("/debug/locks/watched/readiness?reason=stuck", Role.OPERATOR).isProblem(404, "not-found");
    }

    @Test
    void whoHoldsThePhaseWithoutARunIsAtItToo() {
        rig.engine
                .leases()
                .acquire(
                        key("flow/bare/readiness"),
                        new RemoteWork.Caller(
                                LeaseId.random(rig.environment.random()), new Holder("script", "a script")),
                        Duration.ofSeconds(30),
                        Duration.ZERO)
                .toCompletableFuture()
                .join();
        Answer skipped = resume("bare", "readiness");
        assertThat(skipped.text("status")).isEqualTo("already_running");
        assertThat(skipped.json().getValue("run_id")).isNull();
    }

    @Test
    void aPausedPhaseIsNotSaidToRun() {
        rig.engine.pause(CompatRig.TENANT, "flow/paused/*", "ops", "upgrade", null);
        rig.post("/flows/paused/resume", Role.TRIGGER, "{\"phase\": \"readiness\"}")
                .isProblem(409, "key-paused");
    }

    @Test
    void badInputIsToldInTheShapeOfTheDoor() {
        rig.post("/flows/f/resume", Role.TRIGGER, "{\"phase\": \"nowhere\"}").isProblem(404, "not-found");
        rig.post("/flows/f/resume", Role.TRIGGER, "{\"phase\": 7}").isProblem(400, "invalid-request");
        rig.post("/flows/f/resume", Role.TRIGGER, "{}").isProblem(400, "invalid-request");
        rig.post("/flows/f/resume", Role.TRIGGER, "").isProblem(400, "invalid-request");
        rig.post("/flows/f/resume", Role.TRIGGER, "[]").isProblem(400, "invalid-request");
        rig.post("/flows/f/resume", Role.TRIGGER, "{\"phase\": \"readiness\", \"force\": true}")
                .isProblem(400, "invalid-request");
        rig.post("/flows/f/resume", Role.TRIGGER, "{\"phase\": \"" + "x".repeat(300_000) + "\"}")
                .isProblem(413, "body-too-large");
        rig.post("/flows/a%2Fb/resume", Role.TRIGGER, "{\"phase\": \"readiness\"}")
                .isProblem(400, "invalid-request");
        rig.post("/flows/a%0Ab/resume", Role.TRIGGER, "{\"phase\": \"readiness\"}")
                .isProblem(400, "invalid-request");
        rig.get("/debug/locks/f/nowhere", Role.READ).isProblem(404, "not-found");
        rig.delete("/debug/locks/f/readiness", Role.OPERATOR).isProblem(400, "invalid-request");
        rig.delete("/debug/locks/f/nowhere?reason=x", Role.OPERATOR).isProblem(404, "not-found");
        rig.post("/debug/locks/f/readiness", Role.OPERATOR, "{}").isProblem(405, "method-not-allowed");
    }

    @Test
    void eachRouteHasItsRole() {
        rig.post("/flows/f/resume", (String) null, "{\"phase\": \"readiness\"}").isProblem(401, "unauthenticated");
        rig.post("/flows/f/resume", Role.READ, "{\"phase\": \"readiness\"}").isProblem(403, "forbidden");
        rig.delete("/debug/locks/f/readiness?reason=x", Role.WORKER).isProblem(403, "forbidden");
    }

    private Answer resume(String flow, String phase) {
        return rig.post("/flows/" + flow + "/resume", Role.TRIGGER, "{\"phase\": \"" + phase + "\"}")
                .is(200);
    }

    private boolean locked(String flow, String phase) {
        return rig.get("/debug/locks/" + flow + "/" + phase, Role.READ)
                .is(200)
                .json()
                .getBoolean("locked");
    }

    private static LockKey key(String name) {
        return LockKey.of(CompatRig.TENANT, name);
    }
}
