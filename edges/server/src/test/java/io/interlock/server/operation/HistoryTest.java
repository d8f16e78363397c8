package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.ServedTest;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What became of runs over time, and who had a key, over HTTP. */
class HistoryTest extends ServedTest {

    private Answer begun(String key) {
        return rig.post(
                        "/runs",
                        Role.WORKER,
                        "{\"key\": \"" + key + "\", \"execution\": \"caller\", \"job\": \"remote\"}")
                .is(201);
    }

    private void end(Answer run, String outcome) {
        rig.post(
                        "/runs/" + run.text("id") + "/finish",
                        Role.WORKER,
                        "{\"leaseId\": \"" + run.text("leaseId") + "\", \"token\": " + run.number("token")
                                + ", \"outcome\": \"" + outcome
                                + "\", \"error\": {\"code\": \"DISK_FULL\", \"message\": \"no room\"}}")
                .is(200);
    }

    @Test
    void endsAreCountedByPeriod() {
        for (String outcome : List.of("SUCCEEDED", "FAILED", "SUCCEEDED")) {
            end(begun("counted/1"), outcome);
        }
        String query = "&job=remote";
        JsonObject hour = await().atMost(Duration.ofSeconds(30))
                .until(
                        () -> rig.get("/history?window=1h" + query, Role.READ)
                                .is(200)
                                .json(),
                        history -> history.getInteger("succeeded") >= 2 && history.getInteger("failed") >= 1);
        assertThat(hour.getJsonArray("items")).hasSize(60);
        assertThat(hour.getString("holdP95")).isNotNull();
        assertThat(sum(hour, "succeeded")).isEqualTo(hour.getInteger("succeeded"));
        assertThat(sum(hour, "failed")).isEqualTo(hour.getInteger("failed"));
        JsonObject last = hour.getJsonArray("items").getJsonObject(59);
        assertThat(Duration.between(
                        Instant.parse(last.getString("at")),
                        rig.engine.queries().time()))
                .isLessThan(Duration.ofMinutes(1));
        assertThat(rig.get("/history?window=24h" + query, Role.READ).json().getJsonArray("items"))
                .hasSize(144);
        JsonObject week = rig.get("/history?window=7d" + query, Role.READ).json();
        assertThat(week.getJsonArray("items")).hasSize(168);
        assertThat(week.getInteger("succeeded")).isEqualTo(hour.getInteger("succeeded"));
        assertThat(rig.get("/history?window=1h&job=other", Role.READ).json().getInteger("succeeded"))
                .isZero();
        assertThat(rig.get("/history", rig.key("other", Role.READ)).json().getInteger("succeeded"))
                .as("another tenant")
                .isZero();
        rig.get("/history?window=2h", Role.READ).isProblem(400, "invalid-request");
        assertThat(rig.get("/jobs", Role.READ).json().getJsonArray("items").stream()
                        .map(JsonObject.class::cast)
                        .filter(job -> job.getString("name").equals("remote"))
                        .map(job -> job.getJsonObject("week").getInteger("succeeded")))
                .containsExactly(hour.getInteger("succeeded"));
    }

    private static int sum(JsonObject history, String field) {
        return history.getJsonArray("items").stream()
                .mapToInt(item -> ((JsonObject) item).getInteger(field))
                .sum();
    }

    @Test
    void theHoldsOfAKeyAreToldAndWhereTheyAreUnknown() {
        Answer first = begun("held/1");
        end(first, "SUCCEEDED");
        end(begun("held/1"), "FAILED");
        Answer third = begun("held/1");
        JsonObject holds = rig.get("/locks/holds?key=held/1", Role.READ).is(200).json();
        List<JsonObject> items = items(holds);
        assertThat(items).extracting(item -> item.getString("state")).containsExactly("SUCCEEDED", "FAILED", "RUNNING");
        assertThat(items.get(0).getString("run")).isEqualTo(first.text("id"));
        assertThat(items.get(0).getLong("token")).isEqualTo(first.number("token"));
        assertThat(items)
                .allSatisfy(item -> assertThat(item.getString("waitingSince")).isNotNull());
        assertThat(items.get(2).containsKey("to")).isFalse();
        assertThat(items.get(1).getString("from"))
                .isGreaterThanOrEqualTo(items.get(0).getString("to"));
        assertThat(holds.getJsonArray("unknown")).isEmpty();

        JsonObject last = rig.get("/locks/holds?limit=1&key=held/1", Role.READ).json();
        assertThat(items(last)).extracting(item -> item.getString("run")).containsExactly(third.text("id"));
        assertThat(last.getJsonArray("unknown").getJsonObject(0).getString("why"))
                .isEqualTo("NOT_READ");

        end(third, "SUCCEEDED");
        rig.post(
                        "/locks/acquire",
                        Role.WORKER,
                        "{\"key\": \"held/1\", \"leaseId\": \"" + EngineRig.uuid()
                                + "\", \"ttl\": \"1m\", \"holder\": \"laptop\"}")
                .is(200);
        JsonObject bare = rig.get("/locks/holds?key=held/1", Role.READ).json();
        assertThat(items(bare).get(3).getString("holder")).isEqualTo("laptop");
        assertThat(bare.getJsonArray("unknown").getJsonObject(0).getString("why"))
                .isEqualTo("LEASES");
        JsonObject old =
                rig.get("/locks/holds?since=9000d&key=held/1", Role.READ).json();
        assertThat(old.getJsonArray("unknown").getJsonObject(0).getString("why"))
                .isEqualTo("FORGOTTEN");
        rig.get("/locks/holds?since=1h&until=2h&key=held/1", Role.READ).isProblem(400, "invalid-request");
    }

    @Test
    void anEvictedHoldIsLostAndPausesAreTold() {
        rig.post("/locks/pause", Role.OPERATOR, "{\"pattern\": \"evicted/*\", \"reason\": \"upgrade\"}")
                .is(200);
        rig.post("/locks/resume", Role.OPERATOR, "{\"pattern\": \"evicted/*\"}").is(200);
        Answer run = begun("evicted/1");
        rig.post(
                        "/locks/evict",
                        Role.OPERATOR,
                        "{\"key\": \"evicted/1\", \"token\": " + run.number("token") + ", \"reason\": \"stuck\"}")
                .is(200);
        JsonObject holds = rig.get("/locks/holds?since=1h&key=evicted/1", Role.READ)
                .is(200)
                .json();
        assertThat(items(holds)).singleElement().satisfies(hold -> {
            assertThat(hold.getBoolean("lost")).isTrue();
            assertThat(hold.getString("why")).isEqualTo("stuck");
        });
        assertThat(holds.getJsonArray("pauses").getJsonObject(0).getString("reason"))
                .isEqualTo("upgrade");
    }

    @Test
    void aPauseThatEndedByItselfIsTold() {
        Instant end = rig.engine.queries().time().plusMillis(200);
        rig.post(
                        "/locks/pause",
                        Role.OPERATOR,
                        "{\"key\": \"timed/1\", \"reason\": \"lunch\", \"until\": \"" + end + "\"}")
                .is(200);
        await().until(() -> rig.engine.queries().pauses(EngineRig.TENANT).isEmpty());
        JsonObject holds =
                rig.get("/locks/holds?since=1h&key=timed/1", Role.READ).is(200).json();
        assertThat(holds.getJsonArray("pauses")).hasSize(1);
        JsonObject pause = holds.getJsonArray("pauses").getJsonObject(0);
        assertThat(pause.getString("reason")).isEqualTo("lunch");
        assertThat(Duration.between(end, Instant.parse(pause.getString("to"))).abs())
                .isLessThan(Duration.ofSeconds(30));
    }

    private static List<JsonObject> items(JsonObject holds) {
        return holds.getJsonArray("items").stream().map(JsonObject.class::cast).toList();
    }
}
