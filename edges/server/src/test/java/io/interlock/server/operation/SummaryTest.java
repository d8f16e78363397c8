package io.interlock.server.operation;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.ServedTest;
import io.vertx.core.json.JsonObject;
import java.net.URLEncoder;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What goes on in a tenant, over HTTP. */
class SummaryTest extends ServedTest {

    @Test
    void itCountsTheTenantAndNamesWhatNeedsAttention() {
        for (int i = 0; i < 3; i++) {
            Answer run = rig.post(
                            "/runs",
                            Role.WORKER,
                            "{\"key\": \"failing/" + i + "\", \"execution\": \"caller\", \"job\": \"nightly\"}")
                    .is(201);
            rig.post(
                            "/runs/" + run.text("id") + "/finish",
                            Role.WORKER,
                            "{\"leaseId\": \"" + run.text("leaseId") + "\", \"token\": " + run.number("token")
                                    + ", \"outcome\": \"FAILED\", \"error\": {\"code\": \""
                                    + (i == 0 ? "SHUTDOWN" : "DISK_FULL") + "\", \"message\": \"no room\"}}")
                    .is(200);
        }
        rig.post("/runs", Role.WORKER, "{\"key\": \"hot/1\", \"execution\": \"caller\"}")
                .is(201);
        for (int i = 0; i < 60; i++) {
            rig.post("/runs", Role.TRIGGER, "{\"key\": \"hot/1\", \"job\": \"remote\", \"onConflict\": \"QUEUE\"}")
                    .is(202);
        }
        rig.post("/runs", Role.TRIGGER, "{\"key\": \"idle/1\", \"job\": \"remote\"}")
                .is(201);
        rig.post("/locks/pause", Role.OPERATOR, "{\"pattern\": \"shop/*\", \"reason\": \"upgrade\"}")
                .is(200);
        JsonObject summary = rig.get("/summary", Role.READ).is(200).json();
        assertThat(summary.getJsonObject("locks").getMap())
                .containsEntry("HELD", 1)
                .containsEntry("WAITING", 1)
                .containsEntry("OVERDUE", 0)
                .containsEntry("PAUSED", 0);
        assertThat(summary.getJsonObject("runs").getMap())
                .containsEntry("QUEUED", 60)
                .containsEntry("PENDING", 1)
                .containsEntry("RUNNING", 1);
        JsonObject longest = summary.getJsonObject("longestWait");
        JsonObject line = rig.get("/locks/line?key=hot/1&limit=1", Role.READ).json();
        assertThat(longest.getJsonObject("lock").getInteger("waiting")).isEqualTo(line.getInteger("total"));
        assertThat(longest.getJsonObject("next").getString("id"))
                .isEqualTo(line.getJsonArray("items").getJsonObject(0).getString("id"));
        assertThat(kinds(summary)).containsExactly("HOT 60", "NO_WORKER 1", "FAILED 2", "RESTARTED 1", "PAUSED 1");
        rig.post("/claims", Role.WORKER, """
                {"claimId": "%s", "worker": "w", "jobs": ["remote"], "max": 1, "wait": "10s"}
                """.formatted(EngineRig.uuid())).is(200);
        // A summary that took long is given again for a moment.
        await("a worker does it now")
                .until(() -> !kinds(rig.get("/summary", Role.READ).json()).contains("NO_WORKER 1"));
        assertThat(rig.get("/summary", rig.key("other", Role.READ)).json().getJsonArray("attention"))
                .as("another tenant")
                .isEmpty();
    }

    @Test
    void namesAndShortIdsAreFound() {
        String id = rig.post(
                        "/runs",
                        Role.TRIGGER,
                        "{\"key\": \"found/Alpha\", \"job\": \"remote\", \"labels\": {\"team\": \"billing\"}}")
                .is(201)
                .text("id");
        JsonObject byId =
                rig.get("/search?q=" + id.substring(28), Role.READ).is(200).json();
        assertThat(byId.getJsonArray("runs").getJsonObject(0).getString("id")).isEqualTo(id);
        JsonObject byKey = rig.get("/search?q=ALPHA", Role.READ).is(200).json();
        assertThat(byKey.getJsonArray("keys").getJsonObject(0).getString("key")).isEqualTo("found/Alpha");
        assertThat(rig.get("/search?q=bill", Role.READ).json().getJsonArray("labels"))
                .containsExactly("team=billing");
        assertThat(rig.get("/search?q=emot", Role.READ).json().getJsonArray("jobs"))
                .containsExactly("remote");
        rig.get("/search?q=%20", Role.READ).isProblem(400, "invalid-request");
        rig.get("/search", Role.READ).isProblem(400, "invalid-request");
    }

    @Test
    void runsLocksAndRecordsAreFoundByHolderLabelAndActor() {
        String labelled = rig.post(
                        "/runs",
                        Role.WORKER,
                        "{\"key\": \"picked/1\", \"execution\": \"caller\", \"labels\": {\"team\": \"a=b\"}}")
                .is(201)
                .text("id");
        rig.post("/runs", Role.WORKER, "{\"key\": \"picked/2\", \"execution\": \"caller\"}")
                .is(201);
        rig.post(
                        "/locks/acquire",
                        Role.WORKER,
                        "{\"key\": \"picked/3\", \"leaseId\": \"" + EngineRig.uuid()
                                + "\", \"ttl\": \"1m\", \"holder\": \"laptop 7\"}")
                .is(200);
        assertThat(ids("/runs?label=team=a%3Db", "id")).containsExactly(labelled);
        assertThat(ids("/runs?label=team=c", "id")).isEmpty();
        assertThat(ids("/locks?label=team=a%3Db", "key")).containsExactly("picked/1");
        assertThat(ids("/locks?holder=laptop%207", "key")).containsExactly("picked/3");
        String holder = rig.get("/runs/" + labelled, Role.READ).text("holder");
        assertThat(ids("/runs?holder=" + URLEncoder.encode(holder, UTF_8), "id"))
                .contains(labelled);
        rig.get("/runs?label=team", Role.READ).isProblem(400, "invalid-request");
        assertThat(records("key=picked/*&actor=people"))
                .isNotEmpty()
                .allSatisfy(record -> assertThat(record.getString("action")).isEqualTo("submitted"));
        assertThat(records("key=picked/*&until=1h")).isEmpty();
        assertThat(records("key=picked/*"))
                .extracting(record -> record.getString("key"))
                .contains("picked/1", "picked/2");
        rig.get("/audit?until=yesterday", Role.OPERATOR).isProblem(400, "invalid-request");
    }

    @Test
    void failedRunsAreFoundByWhenAndHowTheyFailed() {
        String failed = ends("ended/1", "FAILED", "EXIT_7");
        String other = ends("ended/2", "FAILED", "EXIT_8");
        ends("ended/3", "SUCCEEDED", null);
        String stopped = rig.post("/runs", key(Role.TRIGGER), "{\"key\": \"ended/4\", \"job\": \"remote\"}")
                .is(201)
                .text("id");
        rig.post("/runs/" + stopped + "/cancel", key(Role.TRIGGER), "{\"reason\": \"not needed\"}")
                .is(202);
        assertThat(found("/runs?key=ended/*&failedSince=1h")).containsExactly(other, failed);
        assertThat(found("/runs?key=ended/*&error=EXIT_7")).containsExactly(failed);
        assertThat(found("/runs?key=ended/*&error=EXIT_7&state=ABORTED,FAILED")).containsExactly(failed);
        assertThat(found("/runs?key=ended/*&failedSince=1h&state=ABORTED"))
                .as("one that was stopped has not failed")
                .isEmpty();
        assertThat(found("/runs?key=ended/*&failedSince=2126-11-15T02:00:00Z")).isEmpty();
        assertThat(found("/runs?key=ended/*&unsettled=true")).isEmpty();
        rig.get("/runs?failedSince=soon", key(Role.READ)).isProblem(400, "invalid-request");
        JsonObject summary = rig.get("/summary", key(Role.READ)).json();
        assertThat(summary.getInteger("failed"))
                .isEqualTo(summary.getJsonArray("failures").stream()
                        .mapToInt(group -> ((JsonObject) group).getInteger("count"))
                        .sum());
        assertThat(summary.getJsonArray("failures").encode()).doesNotContain("ABORTED");
    }

    /** A key of a tenant of its own: other tests count what fails. */
    private String key(Role role) {
        return rig.key("failing", role);
    }

    private List<String> found(String path) {
        return ids(rig.get(path, key(Role.READ)), "id");
    }

    /** Lets a caller's run under {@code key} end so, and returns its id. */
    private String ends(String key, String state, @Nullable String code) {
        JsonObject run = rig.post("/runs", key(Role.WORKER), "{\"key\": \"" + key + "\", \"execution\": \"caller\"}")
                .is(201)
                .json();
        JsonObject ending = new JsonObject()
                .put("leaseId", run.getString("leaseId"))
                .put("token", run.getLong("token"))
                .put("outcome", state);
        if (code != null) {
            ending.put("error", new JsonObject().put("code", code).put("message", "it broke"));
        }
        rig.post("/runs/" + run.getString("id") + "/finish", key(Role.WORKER), ending.encode())
                .is(200);
        return run.getString("id");
    }

    @Test
    void locksAreFoundByHowLongTheyAreHeldAndRecordsByWhoAndWhat() {
        rig.post(
                        "/locks/acquire",
                        Role.WORKER,
                        "{\"key\": \"long/1\", \"leaseId\": \"" + EngineRig.uuid()
                                + "\", \"ttl\": \"1m\", \"holder\": \"w\"}")
                .is(200);
        assertThat(ids("/locks?key=long/*&heldFor=1h", "key")).isEmpty();
        assertThat(ids("/locks?key=long/*&heldFor=0s", "key")).containsExactly("long/1");
        rig.get("/locks?heldFor=soon", Role.READ).isProblem(400, "invalid-request");
        rig.post("/locks/pause", Role.OPERATOR, "{\"key\": \"long/2\", \"reason\": \"upgrade\"}")
                .is(200);
        String who = records("key=long/2").get(0).getString("actor");
        assertThat(records("key=long/2&action=paused&who=" + encoded(who.toUpperCase(Locale.ROOT))))
                .hasSize(1);
        assertThat(records("key=long/2&action=resumed")).isEmpty();
        assertThat(records("key=long/2&who=another")).isEmpty();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, UTF_8);
    }

    private List<String> ids(String path, String field) {
        return ids(rig.get(path, Role.READ), field);
    }

    private static List<String> ids(Answer page, String field) {
        return page.is(200).json().getJsonArray("items").stream()
                .map(item -> ((JsonObject) item).getString(field))
                .toList();
    }

    private List<JsonObject> records(String query) {
        return rig.get("/audit?" + query, Role.OPERATOR).is(200).json().getJsonArray("items").stream()
                .map(JsonObject.class::cast)
                .toList();
    }

    private static List<String> kinds(JsonObject summary) {
        return summary.getJsonArray("attention").stream()
                .map(JsonObject.class::cast)
                .map(entry -> entry.getString("kind") + " " + entry.getInteger("count"))
                .toList();
    }
}
