package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.ServedTest;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Runs over HTTP, from start to end, by workers and by callers. */
class RunsTest extends ServedTest {

    @Test
    void aWorkersRunIsStartedDoneAndShown() {
        Answer started = rig.post("/runs", Role.TRIGGER, """
                {"key": "pipeline/a", "job": "quick", "reason": "nightly", "labels": {"team": "finance"}, "parameters": {"n": 1}}
                """).is(201);
        String id = started.text("id");
        assertThat(started.header("Location")).isEqualTo("/api/v1/runs/" + id);
        assertThat(started.json().getJsonObject("labels")).isEqualTo(new JsonObject().put("team", "finance"));
        Answer ended =
                rig.get("/runs/" + id, rig.key(Role.READ), "Prefer", "wait=20").is(200);
        assertThat(ended.text("state")).isEqualTo("SUCCEEDED");
        assertThat(ended.text("outcome")).isEqualTo("SUCCEEDED");
        assertThat(ended.text("endedAt")).matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(ended.json().getJsonObject("result").getLong("token")).isEqualTo(ended.number("token"));
        assertThat(ended.json().getJsonObject("parameters")).isEqualTo(new JsonObject().put("n", 1));
        assertThat(ended.json().getJsonArray("attempts")).hasSize(1);
        assertThat(ended.text("reason")).isEqualTo("nightly");
    }

    @Test
    void aLeaseOfAWrongLengthIsNamedAsTheRequestNamesIt() {
        for (String lease : List.of("1s", "10m")) {
            Answer refused = rig.post(
                            "/runs",
                            Role.TRIGGER,
                            "{\"key\": \"pipeline/a\", \"job\": \"quick\", \"lease\": \"" + lease + "\"}")
                    .is(400);
            JsonObject mistake = refused.json().getJsonArray("errors").getJsonObject(0);
            assertThat(mistake.getString("pointer")).isEqualTo("/lease");
            assertThat(mistake.getString("detail")).startsWith("lease '" + lease + "'");
        }
    }

    @Test
    void aStartMayWaitForTheEnd() {
        Answer ended = rig.post(
                        "/runs",
                        rig.key(Role.TRIGGER),
                        "{\"key\": \"pipeline/b\", \"job\": \"quick\"}",
                        "Prefer",
                        "wait=20")
                .is(201);
        assertThat(ended.text("state")).isEqualTo("SUCCEEDED");
    }

    @Test
    void aCallerDoesTheWorkItself() {
        Answer started = rig.post("/runs", Role.WORKER, "{\"key\": \"caller/a\", \"execution\": \"caller\"}")
                .is(201);
        assertThat(started.text("state")).isEqualTo("RUNNING");
        assertThat(started.text("heartbeatEvery")).isEqualTo("PT10S");
        String proof = "\"leaseId\": \"" + started.text("leaseId") + "\", \"token\": " + started.number("token");
        Answer heartbeat = rig.post(
                        "/runs/" + started.text("id") + "/heartbeat",
                        Role.WORKER,
                        "{" + proof + ", \"stage\": \"load\", \"progress\": {\"done\": 12, \"total\": 20}}")
                .is(200);
        assertThat(heartbeat.json().getBoolean("cancelRequested")).isFalse();
        JsonObject shown =
                rig.get("/runs/" + started.text("id"), Role.READ).is(200).json();
        assertThat(shown.getString("stage")).isEqualTo("load");
        assertThat(shown.getJsonObject("progress"))
                .isEqualTo(new JsonObject().put("done", 12).put("total", 20));
        assertThat(shown.containsKey("leaseId")).as("a secret of the holder").isFalse();
        String finish = "{" + proof + ", \"outcome\": \"SUCCEEDED\", \"result\": {\"rows\": 7}}";
        String path = "/runs/" + started.text("id") + "/finish";
        assertThat(rig.post(path, Role.WORKER, finish).is(200).text("state")).isEqualTo("SUCCEEDED");
        assertThat(rig.post(path, Role.WORKER, finish).is(200).text("state"))
                .as("the same again when repeated")
                .isEqualTo("SUCCEEDED");
        rig.post(path, Role.WORKER, "{" + proof + ", \"outcome\": \"FAILED\"}").isProblem(409, "run-finished");
        rig.post("/runs/" + started.text("id") + "/heartbeat", Role.WORKER, "{" + proof + ", \"stage\": \"late\"}")
                .isProblem(410, "lease-lost");
    }

    @Test
    void aBusyKeyIsRefusedWithWhoHasItSinceWhenAndAtWhat() {
        Answer holder = caller("busy/a");
        rig.post(
                        "/runs/" + holder.text("id") + "/heartbeat",
                        Role.WORKER,
                        "{" + proof(holder) + ", \"stage\": \"transform\"}")
                .is(200);
        rig.post("/runs", Role.TRIGGER, "{\"key\": \"busy/a\", \"job\": \"remote\", \"onConflict\": \"QUEUE\"}")
                .is(202);
        Answer refused = rig.post("/runs", Role.TRIGGER, "{\"key\": \"busy/a\", \"job\": \"remote\"}")
                .isProblem(409, "lock-held");
        JsonObject who = refused.json().getJsonObject("holder");
        assertThat(who.getString("runId")).isEqualTo(holder.text("id"));
        assertThat(who.getString("stage")).isEqualTo("transform");
        assertThat(who.getBoolean("alive")).isTrue();
        assertThat(who.getString("since")).endsWith("Z");
        assertThat(refused.number("queueLength")).isEqualTo(1);
        assertThat(refused.text("explanation")).contains("acme:busy/a is held by");
        assertThat(refused.text("detail")).startsWith("acme:busy/a is held by");
        assertThat(Integer.parseInt(refused.header("Retry-After"))).isBetween(1, 30);
    }

    @Test
    void everyPolicyHasItsAnswer() {
        Answer holder = caller("policy/a");
        String start = "{\"key\": \"policy/a\", \"job\": \"joined\", \"onConflict\": \"%s\"}";
        Answer skipped =
                rig.post("/runs", Role.TRIGGER, start.formatted("SKIP")).is(200);
        assertThat(skipped.text("state")).isEqualTo("SKIPPED");
        assertThat(skipped.json().getJsonObject("holder").getString("runId")).isEqualTo(holder.text("id"));
        Answer joined = rig.post("/runs", Role.TRIGGER, "{\"key\": \"policy/a\", \"job\": \"joined\"}")
                .is(200);
        assertThat(joined.text("id")).as("the job's own policy").isEqualTo(holder.text("id"));
        assertThat(joined.json().getBoolean("deduplicated")).isTrue();
        Answer queued =
                rig.post("/runs", Role.TRIGGER, start.formatted("QUEUE")).is(202);
        assertThat(queued.number("position")).isEqualTo(1);
        assertThat(queued.header("Retry-After")).isNotEmpty();
        assertThat(queued.header("Location")).isEqualTo("/api/v1/runs/" + queued.text("id"));
        assertThat(queued.text("explanation")).contains("number 1 in line");
        assertThat(queued.json().getJsonObject("waitingFor").getString("runId")).isEqualTo(holder.text("id"));
        Answer second =
                rig.post("/runs", Role.TRIGGER, start.formatted("QUEUE")).is(202);
        assertThat(second.number("position")).isEqualTo(2);
        Answer latest =
                rig.post("/runs", Role.TRIGGER, start.formatted("QUEUE_LATEST")).is(202);
        assertThat(latest.number("position")).isEqualTo(1);
        assertThat(rig.get("/runs/" + queued.text("id"), Role.READ)
                        .json()
                        .getJsonObject("error")
                        .getString("code"))
                .isEqualTo("SUPERSEDED");
    }

    @Test
    void aFullLineIsSaid() {
        caller("line/a");
        String start = "{\"key\": \"line/a\", \"job\": \"single\"}";
        rig.post("/runs", Role.TRIGGER, start).is(202);
        Answer full = rig.post("/runs", Role.TRIGGER, start).isProblem(429, "queue-full");
        assertThat(full.number("limit")).isEqualTo(1);
        assertThat(full.number("queueLength")).isEqualTo(1);
        assertThat(full.header("Retry-After")).isNotEmpty();
    }

    @Test
    void aTenantMayHaveALimit() {
        String key = rig.key("small", Role.WORKER);
        rig.post("/runs", key, "{\"key\": \"limit/a\", \"execution\": \"caller\"}")
                .is(201);
        Answer busy = rig.post("/runs", key, "{\"key\": \"limit/b\", \"execution\": \"caller\"}")
                .isProblem(429, "tenant-busy");
        assertThat(busy.number("limit")).isEqualTo(1);
    }

    @Test
    void theSameIdempotencyKeyIsTheSameRun() {
        String start = "{\"key\": \"idem/a\", \"job\": \"quick\", \"idempotencyKey\": \"evt-1\"}";
        Answer first = rig.post("/runs", Role.TRIGGER, start).is(201);
        Answer again = rig.post("/runs", Role.TRIGGER, start).is(200);
        assertThat(again.text("id")).isEqualTo(first.text("id"));
        assertThat(again.json().getBoolean("deduplicated")).isTrue();
        Answer byHeader = rig.post(
                        "/runs",
                        rig.key(Role.TRIGGER),
                        "{\"key\": \"idem/a\", \"job\": \"quick\"}",
                        "Idempotency-Key",
                        "\"evt-1\"")
                .is(200);
        assertThat(byHeader.text("id")).isEqualTo(first.text("id"));
        Answer other = rig.post(
                        "/runs",
                        Role.TRIGGER,
                        "{\"key\": \"idem/b\", \"job\": \"quick\", \"idempotencyKey\": \"evt-1\"}")
                .isProblem(422, "idempotency-mismatch");
        assertThat(other.text("runId")).isEqualTo(first.text("id"));
    }

    @Test
    void aCallerWhoseAnswerWasLostFindsItsGrantByTheLeaseIdItMade() {
        String start =
                "{\"key\": \"idem/c\", \"execution\": \"caller\", \"idempotencyKey\": \"evt-2\", \"leaseId\": \"%s\"}";
        String lease = EngineRig.uuid();
        Answer first = rig.post("/runs", Role.WORKER, start.formatted(lease)).is(201);
        assertThat(first.text("leaseId")).isEqualTo(lease);
        Answer again = rig.post("/runs", Role.WORKER, start.formatted(lease)).is(200);
        assertThat(again.json().getBoolean("deduplicated")).isTrue();
        assertThat(again.text("leaseId")).isEqualTo(lease);
        assertThat(again.number("token")).isEqualTo(first.number("token"));
        assertThat(again.text("expiresAt")).isEqualTo(first.text("expiresAt"));
        assertIsWithoutLease(rig.post("/runs", Role.WORKER, start.formatted(EngineRig.uuid())), first);
    }

    @Test
    void ofTwoHostsWithOneIdempotencyKeyOneGetsTheLease() {
        String start = "{\"key\": \"idem/d\", \"execution\": \"caller\", \"idempotencyKey\": \"nightly-1\"}";
        Answer hostA = rig.post("/runs", Role.WORKER, start).is(201);
        assertThat(hostA.text("leaseId")).isNotNull();
        assertIsWithoutLease(rig.post("/runs", Role.WORKER, start), hostA);
        assertIsWithoutLease(rig.post("/runs", Role.OPERATOR, start), hostA);
    }

    @Test
    void aCallerInLineWhoseAnswerWasLostIsToldAtOnceWhichRunToTakeTheTurnOf() {
        Answer holder = caller("idem/e");
        String lease = EngineRig.uuid();
        String start =
                "{\"key\": \"idem/e\", \"execution\": \"caller\", \"onConflict\": \"QUEUE\", \"idempotencyKey\": \"evt-3\","
                        + " \"leaseId\": \"" + lease + "\"}";
        String id = rig.post("/runs", Role.WORKER, start).is(202).text("id");
        // It may not wait here for the end: a caller that does not ask for its turn for 15 s has left the line.
        Answer again = rig.post("/runs", rig.key(Role.WORKER), start, "Prefer", "wait=20")
                .is(200);
        assertThat(again.text("id")).isEqualTo(id);
        assertThat(again.text("state")).isEqualTo("QUEUED");
        rig.post(
                        "/runs/" + holder.text("id") + "/finish",
                        Role.WORKER,
                        "{" + proof(holder) + ", \"outcome\": \"SUCCEEDED\"}")
                .is(200);
        rig.post("/runs/" + id + "/claim", Role.WORKER, "{\"leaseId\": \"" + lease + "\", \"wait\": \"10s\"}")
                .is(200);
        Answer found = rig.post("/runs", Role.WORKER, start).is(200);
        assertThat(found.text("leaseId")).isEqualTo(lease);
    }

    @Test
    void aLeaseIdIsOnlyForWhoeverDoesTheWork() {
        String start = "{\"key\": \"idem/f\", \"job\": \"quick\", \"leaseId\": \"" + EngineRig.uuid() + "\"}";
        Answer refused = rig.post("/runs", Role.WORKER, start).isProblem(400, "invalid-request");
        assertThat(refused.response().body()).contains("/leaseId");
    }

    @Test
    void anUnknownJobNamesTheNearest() {
        Answer unknown = rig.post("/runs", Role.TRIGGER, "{\"key\": \"a\", \"job\": \"qick\"}")
                .isProblem(404, "unknown-job");
        assertThat(unknown.text("nearest")).isEqualTo("quick");
        Answer none = rig.post("/runs", Role.TRIGGER, "{\"key\": \"a\"}").isProblem(400, "invalid-request");
        assertThat(none.response().body()).contains("/job");
    }

    @Test
    void aGuardRefusesTheWrongState() {
        Answer wrong = rig.post("/runs", Role.TRIGGER, "{\"key\": \"cluster/1\", \"job\": \"destroy\"}")
                .isProblem(409, "wrong-state");
        assertThat(wrong.text("state")).isEqualTo("none");
        assertThat(wrong.json().getJsonArray("allowed")).containsExactly("READY");
    }

    @Test
    void aTraceIsKeptShownAndHandedOn() {
        String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        Answer started = rig.post(
                        "/runs",
                        rig.key(Role.TRIGGER),
                        "{\"key\": \"trace/a\", \"job\": \"remote\"}",
                        "traceparent",
                        trace)
                .is(201);
        assertThat(rig.get("/runs/" + started.text("id"), Role.READ).text("traceparent"))
                .isEqualTo(trace);
        JsonObject item = claimed("remote", "trace/a");
        assertThat(item.getString("traceparent")).isEqualTo(trace);
        Answer odd = rig.post(
                        "/runs",
                        rig.key(Role.TRIGGER),
                        "{\"key\": \"trace/b\", \"job\": \"remote\"}",
                        "traceparent",
                        "nonsense")
                .is(201);
        assertThat(rig.get("/runs/" + odd.text("id"), Role.READ).json().containsKey("traceparent"))
                .isFalse();
    }

    @Test
    void aCommandIsHandedTheTraceAndItsLastWordsAreShownIfAskedFor() {
        String trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        String id = rig.post(
                        "/runs",
                        rig.key(Role.TRIGGER),
                        "{\"key\": \"trace/c\", \"job\": \"shell\"}",
                        "traceparent",
                        trace,
                        "Prefer",
                        "wait=20")
                .is(201)
                .text("id");
        assertThat(rig.get("/runs/" + id + "?output=true", Role.READ).is(200).text("output"))
                .contains("trace " + trace + " of " + id);
        assertThat(rig.get("/runs/" + id, Role.READ).is(200).json().containsKey("output"))
                .isFalse();
    }

    @Test
    void durationsNobodyCanMeanAreRefused() {
        for (String field : List.of("maxWait", "lease", "maxRuntime")) {
            for (String odd : List.of("999999999999d", "999999999999h", "P99999999999D", "PT", "P", "5 parsecs", "")) {
                Answer refused = rig.post(
                                "/runs",
                                Role.TRIGGER,
                                "{\"key\": \"odd\", \"job\": \"remote\", \"" + field + "\": \"" + odd + "\"}")
                        .isProblem(400, "invalid-request");
                assertThat(refused.response().body()).contains("/" + field);
            }
        }
    }

    @Test
    void aCancelledRunIsAskedToStop() {
        Answer running = caller("cancel/a");
        rig.post("/runs/" + running.text("id") + "/cancel", Role.TRIGGER, "{\"reason\": \"wrong month\"}")
                .is(202);
        Answer heartbeat = rig.post(
                        "/runs/" + running.text("id") + "/heartbeat", Role.WORKER, "{" + proof(running) + "}")
                .is(200);
        assertThat(heartbeat.json().getBoolean("cancelRequested")).isTrue();
        assertThat(heartbeat.text("cancelReason")).isEqualTo("wrong month");
        rig.post(
                        "/runs/" + running.text("id") + "/finish",
                        Role.WORKER,
                        "{" + proof(running) + ", \"outcome\": \"ABORTED\"}")
                .is(200);
        rig.post("/runs/" + running.text("id") + "/cancel", Role.TRIGGER, "{\"reason\": \"again\"}")
                .isProblem(409, "run-finished");
    }

    @Test
    void aWaitingRunIsMovedToTheFront() {
        String start = "{\"key\": \"front/a\", \"job\": \"remote\", \"onConflict\": \"QUEUE\"}";
        String holder = rig.post("/runs", Role.TRIGGER, start).is(201).text("id");
        String first = rig.post("/runs", Role.TRIGGER, start).is(202).text("id");
        String last = rig.post("/runs", Role.TRIGGER, start).is(202).text("id");
        String body = "{\"reason\": \"month end\"}";
        rig.post("/runs/" + last + "/front", Role.TRIGGER, body).isProblem(403, "forbidden");
        rig.post("/runs/" + last + "/front", Role.OPERATOR, body).is(200);
        assertThat(rig.get("/locks/line?key=front/a", Role.READ).is(200).json().getJsonArray("items").stream()
                        .map(item -> ((JsonObject) item).getString("id")))
                .containsExactly(last, first);
        assertThat(rig.post("/runs/" + holder + "/front", Role.OPERATOR, body)
                        .is(200)
                        .text("id"))
                .isEqualTo(holder);
        rig.post("/runs/" + first + "/cancel", Role.TRIGGER, body).is(202);
        rig.post("/runs/" + first + "/front", Role.OPERATOR, body).isProblem(409, "run-finished");
        rig.post("/runs/" + EngineRig.uuid() + "/front", Role.OPERATOR, body).isProblem(404, "not-found");
    }

    @Test
    void theWorkOfARunIsDoneOnceMore() {
        String first = rig.post("/runs", Role.TRIGGER, """
                {"key": "again/a", "job": "remote", "parameters": {"month": 11}, "labels": {"team": "ops"}, "priority": 7}
                """).is(201).text("id");
        rig.post("/runs/" + first + "/cancel", Role.TRIGGER, "{\"reason\": \"wrong month\"}")
                .is(202);
        String body = "{\"reason\": \"%s\", \"idempotencyKey\": \"retry-of-" + first + "\"}";
        rig.post("/runs/" + first + "/rerun", Role.READ, body.formatted("right month"))
                .isProblem(403, "forbidden");
        Answer again = rig.post("/runs/" + first + "/rerun", Role.TRIGGER, body.formatted("right month"))
                .is(201);
        JsonObject run = rig.get("/runs/" + again.text("id"), Role.READ).is(200).json();
        assertThat(run.getString("id")).isNotEqualTo(first);
        assertThat(run.getString("job")).isEqualTo("remote");
        assertThat(run.getString("reason")).isEqualTo("right month");
        assertThat(run.getInteger("priority")).isEqualTo(7);
        assertThat(run.getJsonObject("labels").getString("team")).isEqualTo("ops");
        assertThat(run.getJsonObject("parameters").getInteger("month")).isEqualTo(11);
        assertThat(run.getString("submittedBy")).startsWith("key ");
        Answer twice = rig.post("/runs/" + first + "/rerun", Role.TRIGGER, body.formatted("twice"))
                .is(200);
        assertThat(twice.text("id")).isEqualTo(again.text("id"));
        assertThat(twice.json().getBoolean("deduplicated")).isTrue();
        rig.post("/runs/" + first + "/rerun", Role.TRIGGER, "").isProblem(409, "lock-held");
        Answer callers = rig.post("/runs", Role.WORKER, "{\"key\": \"again/b\", \"execution\": \"caller\"}")
                .is(201);
        rig.post("/runs/" + callers.text("id") + "/rerun", Role.TRIGGER, "{}").isProblem(400, "invalid-request");
        rig.post("/runs/" + EngineRig.uuid() + "/rerun", Role.TRIGGER, "{}").isProblem(404, "not-found");
    }

    @Test
    void aDeadLetterIsRedrivenOrDiscarded() {
        String dead = dead("dead/a");
        Answer redriven =
                rig.post("/runs/" + dead + "/redrive", Role.OPERATOR, "{}").is(202);
        assertThat(redriven.text("id")).isNotEqualTo(dead);
        rig.post("/runs/" + dead + "/redrive", Role.OPERATOR, "").isProblem(409, "not-dead");
        rig.post("/runs/" + redriven.text("id") + "/discard", Role.OPERATOR, "{}")
                .isProblem(409, "not-dead");
        String other = dead("dead/b");
        rig.post("/runs/" + other + "/discard", Role.OPERATOR, "{\"reason\": \"no longer wanted\"}")
                .is(200);
        Answer settled =
                rig.post("/runs/" + other + "/redrive", Role.OPERATOR, "{}").isProblem(409, "not-dead");
        assertThat(settled.text("settled")).isEqualTo("DISCARDED");
    }

    @Test
    void idsThatAreUnknownMalformedOrForeignAreNotToldApart() {
        Answer mine = caller("foreign/a");
        String foreign = rig.key("other", Role.ADMIN);
        Stream.of(mine.text("id"), EngineRig.uuid(), "nonsense", "1-1-1-1-1", "%2e%2e%2f")
                .forEach(id -> {
                    rig.get("/runs/" + id, foreign).isProblem(404, "not-found");
                    rig.get("/runs/" + id, foreign, "Prefer", "wait=1").isProblem(404, "not-found");
                    rig.post("/runs/" + id + "/cancel", foreign, "{\"reason\": \"mine now\"}")
                            .isProblem(404, "not-found");
                    rig.post("/runs/" + id + "/redrive", foreign, "{}").isProblem(404, "not-found");
                    rig.post("/runs/" + id + "/discard", foreign, "{}").isProblem(404, "not-found");
                    rig.post("/runs/" + id + "/heartbeat", foreign, "{" + proof(mine) + "}")
                            .isProblem(404, "not-found");
                    rig.post("/runs/" + id + "/finish", foreign, "{" + proof(mine) + ", \"outcome\": \"SUCCEEDED\"}")
                            .isProblem(404, "not-found");
                    rig.post("/runs/" + id + "/claim", foreign, "{\"leaseId\": \"" + EngineRig.uuid() + "\"}")
                            .isProblem(404, "not-found");
                });
        assertThat(rig.get("/runs/" + mine.text("id"), Role.READ).text("state")).isEqualTo("RUNNING");
    }

    private Answer caller(String key) {
        return rig.post("/runs", Role.WORKER, "{\"key\": \"" + key + "\", \"execution\": \"caller\"}")
                .is(201);
    }

    private static void assertIsWithoutLease(Answer repeated, Answer first) {
        repeated.is(200);
        assertThat(repeated.text("id")).isEqualTo(first.text("id"));
        assertThat(repeated.json().getBoolean("deduplicated")).isTrue();
        assertThat(repeated.json().fieldNames()).doesNotContain("leaseId", "expiresAt");
    }

    private static String proof(Answer started) {
        return "\"leaseId\": \"" + started.text("leaseId") + "\", \"token\": " + started.number("token");
    }

    @Test
    void anErrorsCodeIsOneLineSinceItGoesIntoLogs() {
        Answer run = rig.post("/runs", Role.WORKER, "{\"key\": \"code/1\", \"execution\": \"caller\"}")
                .is(201);
        rig.post("/runs/" + run.text("id") + "/finish", Role.WORKER, """
                {"leaseId": "%s", "token": %d, "outcome": "FAILED", "error": {"code": "X\\n22:00 WARN admin evicted key"}}
                """.formatted(
                                run.text("leaseId"), run.number("token")))
                .is(400);
    }

    private JsonObject claimed(String job, String key) {
        Answer claimed = rig.post("/claims", Role.WORKER, """
                {"claimId": "%s", "worker": "w", "jobs": ["%s"], "max": 100, "wait": "10s"}
                """.formatted(EngineRig.uuid(), job))
                .is(200);
        return claimed.json().getJsonArray("items").stream()
                .map(JsonObject.class::cast)
                .filter(item -> item.getJsonObject("run").getString("key").equals(key))
                .findFirst()
                .orElseThrow();
    }

    private String dead(String key) {
        String id = rig.post("/runs", Role.TRIGGER, "{\"key\": \"" + key + "\", \"job\": \"flaky\"}")
                .is(201)
                .text("id");
        for (int attempt = 1; attempt <= 2; attempt++) {
            JsonObject item = claimed("flaky", key);
            rig.post("/runs/" + id + "/finish", Role.WORKER, """
                    {"leaseId": "%s", "token": %d, "outcome": "FAILED", "error": {"code": "E1", "message": "no"}}
                    """.formatted(
                                    item.getString("leaseId"), item.getLong("token")))
                    .is(200);
        }
        assertThat(rig.get("/runs/" + id, Role.READ).text("state")).isEqualTo("DEAD");
        return id;
    }
}
