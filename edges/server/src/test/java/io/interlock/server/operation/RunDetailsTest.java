package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.access.Role;
import io.interlock.engine.RunRequest;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.ServedTest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What people are shown beside a run's state: heartbeats, what became of dead letters, refusals under its key. */
class RunDetailsTest extends ServedTest {

    @Test
    void parametersOfAJavaProgramThatAreNoJsonAreAText() {
        RunRequest plain = RunRequest.of(LockKey.of(EngineRig.TENANT, "plain/1"), "remote");
        String id = rig.engine
                .submit(plain.parameters("month 11"))
                .orElseThrow()
                .id()
                .toString();
        // The contract knows objects only, so its check would not pass it.
        HttpResponse<String> shown =
                answer(rig.request("/runs/" + id, rig.key(Role.READ)).GET());
        assertThat(shown.statusCode()).isEqualTo(200);
        assertThat(shown.body()).contains("\"parameters\":\"month 11\"");
        HttpResponse<String> claimed =
                answer(rig.request("/claims", rig.key(Role.WORKER), "Content-Type", "application/json")
                        .POST(BodyPublishers.ofString("""
                        {"claimId": "%s", "worker": "w-1", "jobs": ["remote"], "max": 100}
                        """.formatted(EngineRig.uuid()))));
        assertThat(claimed.statusCode()).isEqualTo(200);
        assertThat(claimed.body()).contains("\"parameters\":\"month 11\"");
    }

    private HttpResponse<String> answer(HttpRequest.Builder request) {
        return rig.http().sendAsync(request.build(), BodyHandlers.ofString()).join();
    }

    @Test
    void refusalsOfAKeyAreCountedByTheMinuteOnWhicheverNode() {
        rig.post("/runs", Role.TRIGGER, start("refused/1", "remote")).is(201);
        try (EngineRig other = EngineRig.on(rig.store)) {
            other.post("/runs", Role.TRIGGER, start("refused/1", "remote")).isProblem(409, "lock-held");
            other.post("/runs", Role.TRIGGER, start("refused/1", "remote")).isProblem(409, "lock-held");
            other.post("/runs", Role.TRIGGER, start("refused/1", "joined")).is(200);
        }
        JsonArray refusals = lock("refused/1").getJsonArray("refusals");
        assertThat(sum(refusals, "REJECTED")).isEqualTo(2);
        assertThat(sum(refusals, "JOINED")).isEqualTo(1);
        assertThat(refusals.stream()
                        .map(JsonObject.class::cast)
                        .mapToLong(minute -> minute.getLong("count"))
                        .sum())
                .isEqualTo(3);
        assertThat(Instant.parse(refusals.getJsonObject(0).getString("minute")).getEpochSecond() % 60)
                .isZero();
        assertThat(lock("refused/none").getJsonArray("refusals")).isEmpty();
        assertThat(rig.get("/locks?key=refused/*", Role.READ)
                        .json()
                        .getJsonArray("items")
                        .getJsonObject(0)
                        .containsKey("refusals"))
                .as("in a list of many")
                .isFalse();
    }

    @Test
    void aRunningRunShowsWhenItWasLastHeardOf() {
        Answer run = rig.post("/runs", Role.WORKER, "{\"key\": \"beating/1\", \"execution\": \"caller\"}")
                .is(201);
        JsonObject first = rig.get("/runs/" + run.text("id"), Role.READ).json();
        assertThat(first.getString("heartbeatEvery")).isEqualTo("PT10S");
        Answer heartbeat = rig.post("/runs/" + run.text("id") + "/heartbeat", Role.WORKER, "{" + proof(run) + "}")
                .is(200);
        JsonObject later = rig.get("/runs/" + run.text("id"), Role.READ).json();
        assertThat(Instant.parse(later.getString("heartbeatAt")))
                .isAfterOrEqualTo(Instant.parse(first.getString("heartbeatAt")))
                .isEqualTo(Instant.parse(heartbeat.text("expiresAt")).minus(Duration.ofSeconds(30)));
        assertThat(later.containsKey("leaseId")).as("a secret of the worker").isFalse();
        rig.post("/runs/" + run.text("id") + "/finish", Role.WORKER, "{" + proof(run) + ", \"outcome\": \"SUCCEEDED\"}")
                .is(200);
        assertThat(rig.get("/runs/" + run.text("id"), Role.READ).json().containsKey("heartbeatAt"))
                .isFalse();
    }

    @Test
    void eachAttemptHasItsOwnOutput() {
        String id = dead("output/1");
        JsonObject run =
                rig.get("/runs/" + id + "?output=true", Role.READ).is(200).json();
        assertThat(run.getJsonArray("attempts").stream()
                        .map(JsonObject.class::cast)
                        .map(attempt -> attempt.getString("output")))
                .containsExactly("attempt 1", "attempt 2");
        assertThat(run.getString("output")).isEqualTo("attempt 2");
        assertThat(rig.get("/runs/" + id, Role.READ)
                        .json()
                        .getJsonArray("attempts")
                        .toString())
                .doesNotContain("output");
    }

    @Test
    void whatARunSaysIsReadWhileItGoesOn() {
        String id =
                rig.post("/runs", Role.TRIGGER, start("talk/1", "talk")).is(201).text("id");
        await().until(() -> "half way\n"
                .equals(rig.get("/runs/" + id + "?output=true", Role.READ).text("output")));
        assertThat(rig.get("/runs/" + id, Role.READ).text("state")).isEqualTo("RUNNING");
        rig.post("/runs/" + id + "/cancel", Role.TRIGGER, "{\"reason\": \"seen enough\"}")
                .is(202);
    }

    @Test
    void aDeadRunShowsWhatSomebodyDidAboutIt() {
        String open = dead("settled/open");
        String redriven = dead("settled/redriven");
        String discarded = dead("settled/discarded");
        String next = rig.post("/runs/" + redriven + "/redrive", Role.OPERATOR, "{\"reason\": \"fixed\"}")
                .is(202)
                .text("id");
        rig.post("/runs/" + discarded + "/discard", Role.OPERATOR, "{\"reason\": \"old\"}")
                .is(200);
        assertThat(settled(redriven).getString("kind")).isEqualTo("redriven");
        assertThat(settled(redriven).getString("newRun")).isEqualTo(next);
        assertThat(settled(discarded).getString("kind")).isEqualTo("discarded");
        assertThat(settled(discarded).getString("reason")).isEqualTo("old");
        assertThat(settled(discarded).getString("actor")).startsWith("key ");
        assertThat(Instant.parse(settled(discarded).getString("at"))).isAfter(Instant.EPOCH);
        assertThat(settled(open)).isNull();
        List<JsonObject> listed =
                rig.get("/runs?state=DEAD&key=settled/*", Role.READ).json().getJsonArray("items").stream()
                        .map(JsonObject.class::cast)
                        .toList();
        assertThat(listed)
                .extracting(run -> run.getString("id") + " " + run.getJsonObject("settled"))
                .containsExactly(
                        discarded + " " + settled(discarded), redriven + " " + settled(redriven), open + " null");
    }

    private JsonObject settled(String id) {
        return rig.get("/runs/" + id, Role.READ).is(200).json().getJsonObject("settled");
    }

    private JsonObject lock(String key) {
        return rig.get("/locks?key=" + key, Role.READ)
                .is(200)
                .json()
                .getJsonArray("items")
                .getJsonObject(0);
    }

    private static long sum(JsonArray refusals, String outcome) {
        return refusals.stream()
                .map(JsonObject.class::cast)
                .mapToLong(minute -> minute.getJsonObject("outcomes").getLong(outcome, 0L))
                .sum();
    }

    private static String start(String key, String job) {
        return "{\"key\": \"" + key + "\", \"job\": \"" + job + "\"}";
    }

    private static String proof(Answer started) {
        return "\"leaseId\": \"" + started.text("leaseId") + "\", \"token\": " + started.number("token");
    }

    private String dead(String key) {
        String id = rig.post("/runs", Role.TRIGGER, start(key, "flaky")).is(201).text("id");
        // Others of the same job, such as one that was redriven, may come first.
        while (!rig.get("/runs/" + id, Role.READ).text("state").equals("DEAD")) {
            JsonObject item = rig.post("/claims", Role.WORKER, """
                    {"claimId": "%s", "worker": "w", "jobs": ["flaky"], "max": 1, "wait": "10s"}
                    """.formatted(EngineRig.uuid()))
                    .is(200)
                    .json()
                    .getJsonArray("items")
                    .getJsonObject(0);
            JsonObject run = item.getJsonObject("run");
            rig.post("/runs/" + run.getString("id") + "/finish", Role.WORKER, """
                    {"leaseId": "%s", "token": %d, "outcome": "FAILED", "output": "attempt %d"}
                    """.formatted(
                                    item.getString("leaseId"), item.getLong("token"), run.getInteger("attempt")))
                    .is(200);
        }
        return id;
    }
}
