package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.LockKey;
import io.interlock.access.Role;
import io.interlock.engine.RunRequest;
import io.interlock.run.RunQuery;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.ServedTest;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Resources, audit log, workers and jobs over HTTP. */
class AdminTest extends ServedTest {

    @Test
    void theAuditLogIsPagedTheNewestFirst() {
        String id = rig.post("/runs", Role.TRIGGER, "{\"key\": \"audit/1\", \"job\": \"quick\"}")
                .is(201)
                .text("id");
        rig.get("/runs/" + id, rig.key(Role.READ), "Prefer", "wait=20").is(200);
        List<Long> sequences = new ArrayList<>();
        String cursor = "";
        do {
            Answer page = rig.get("/audit?run=" + id + "&limit=1" + cursor, Role.OPERATOR)
                    .is(200);
            page.json().getJsonArray("items").forEach(item -> sequences.add(((JsonObject) item).getLong("sequence")));
            cursor = page.json().containsKey("cursor") ? "&cursor=" + page.text("cursor") : "";
        } while (!cursor.isEmpty());
        assertThat(sequences).hasSizeGreaterThan(2).isSortedAccordingTo((a, b) -> Long.compare(b, a));
        rig.get("/audit", Role.WORKER).isProblem(403, "forbidden");
        JsonObject first = rig.get("/audit?key=audit/1&since=1h", Role.OPERATOR)
                .is(200)
                .json()
                .getJsonArray("items")
                .getJsonObject(0);
        assertThat(first.getString("after")).isEqualTo("SUCCEEDED");
        assertThat(first.getString("correlation")).isNotNull();
        assertThat(rig.get("/audit?since=2099-01-01T00:00:00Z", Role.OPERATOR)
                        .json()
                        .getJsonArray("items"))
                .isEmpty();
        rig.get("/audit?since=yesterday", Role.OPERATOR).isProblem(400, "invalid-request");
    }

    @Test
    void theAuditLogIsComparedWithWitnesses() {
        String id = rig.post("/runs", Role.TRIGGER, "{\"key\": \"audit/2\", \"job\": \"quick\"}")
                .is(201)
                .text("id");
        rig.get("/runs/" + id, rig.key(Role.READ), "Prefer", "wait=20").is(200);
        await().until(() -> !verified("").getString("head").startsWith("0:"));
        String head = verified("").getString("head");
        assertThat(verified("?witness=" + head).getBoolean("clean")).isTrue();

        String far = "999999999:" + "a".repeat(64);
        JsonObject cut = verified("?witness=" + head + "," + far);
        assertThat(cut.getBoolean("clean")).isFalse();
        assertThat(cut.getJsonArray("findings").getString(0)).contains("999999999", "was cut off");
        String other = head.replaceFirst(":[0-9a-f]{64}", ":" + "a".repeat(64));
        assertThat(verified("?witness=" + other).getJsonArray("findings").getString(0))
                .contains("written anew");
        assertThat(rig.get("/audit/verify?witness=" + "x".repeat(70), Role.OPERATOR)
                        .isProblem(400, "invalid-request")
                        .json()
                        .encode())
                .contains("query/witness", "POSITION:HASH");
    }

    private JsonObject verified(String query) {
        return rig.get("/audit/verify" + query, Role.OPERATOR).is(200).json();
    }

    @Test
    void workersAreShown() {
        await().until(() -> engine().isPresent());
        JsonObject worker = engine().orElseThrow();
        assertThat(worker.getBoolean("alive")).isTrue();
        assertThat(worker.getJsonArray("jobs")).contains("quick");
    }

    private Optional<JsonObject> engine() {
        return rig.get("/workers", Role.READ).is(200).json().getJsonArray("items").stream()
                .map(JsonObject.class::cast)
                .filter(worker -> !worker.getBoolean("remote"))
                .findFirst();
    }

    @Test
    void aWorkerInAnotherProcessIsShownWithWhatItDoes() {
        String id = rig.post("/runs", Role.TRIGGER, "{\"key\": \"workers/1\", \"job\": \"joined\"}")
                .is(201)
                .text("id");
        rig.post("/claims", Role.WORKER, """
                {"claimId": "%s", "worker": "python-3", "jobs": ["joined", "elsewhere"], "max": 2, "wait": "10s"}
                """.formatted(EngineRig.uuid())).is(200);
        await().until(() -> remote(rig.key(Role.READ)).isPresent());
        JsonObject worker = remote(rig.key(Role.READ)).orElseThrow();
        assertThat(worker.getString("worker")).isEqualTo("python-3");
        assertThat(worker.getJsonArray("jobs")).containsExactly("elsewhere", "joined");
        assertThat(worker.getJsonArray("runs"))
                .containsExactly(
                        new JsonObject().put("id", id).put("key", "workers/1").put("job", "joined"));
        assertThat(worker.getInteger("busy")).isEqualTo(1);
        assertThat(worker.getInteger("slots")).isEqualTo(2);
        assertThat(worker.getBoolean("alive")).isTrue();
        assertThat(remote(rig.key("other", Role.READ)))
                .as("a worker of one tenant is no other tenant's business")
                .isEmpty();
    }

    @Test
    void aWorkerIsShownWithAllItsRunsAlsoIfAPageOfRunsHasFewer() {
        int many = RunQuery.MAX_LIMIT + 20;
        String tenant = "crowd";
        for (int i = 0; i < many; i++) {
            rig.engine.submit(RunRequest.of(LockKey.of(tenant, "crowd/" + i), "joined"));
        }
        Set<String> claimed = new HashSet<>();
        while (claimed.size() < many) {
            rig
                    .post("/claims", rig.key(tenant, Role.WORKER), """
                            {"claimId": "%s", "worker": "crowded", "jobs": ["joined"], "max": 100, "wait": "10s"}
                            """.formatted(EngineRig.uuid()))
                    .is(200)
                    .json()
                    .getJsonArray("items")
                    .stream()
                    .map(JsonObject.class::cast)
                    .forEach(claim -> claimed.add(claim.encode()));
        }
        await().until(() -> worker(rig.key(tenant, Role.READ), "crowded").isPresent());
        JsonObject worker = worker(rig.key(tenant, Role.READ), "crowded").orElseThrow();
        assertThat(worker.getJsonArray("runs")).hasSize(many);
        assertThat(worker.getInteger("busy")).isEqualTo(many);
    }

    private Optional<JsonObject> remote(String key) {
        return worker(key, "python-3");
    }

    private Optional<JsonObject> worker(String key, String name) {
        return rig.get("/workers", key).is(200).json().getJsonArray("items").stream()
                .map(JsonObject.class::cast)
                .filter(worker -> worker.getString("worker").equals(name))
                .findFirst();
    }

    @Test
    void aResourceIsShownWithItsVersion() {
        LockKey key = LockKey.of(EngineRig.TENANT, "cluster/9");
        rig.engine.setResource(key, "cluster", "READY", 0, "test", "made");
        Answer resource = rig.get("/resources?key=cluster/9", Role.READ).is(200);
        assertThat(resource.text("state")).isEqualTo("READY");
        assertThat(resource.number("version")).isEqualTo(1);
        rig.get("/resources?key=cluster/none", Role.READ).isProblem(404, "not-found");
        Answer started = rig.post("/runs", Role.TRIGGER, "{\"key\": \"cluster/9\", \"job\": \"destroy\"}")
                .is(201);
        rig.post("/claims", Role.WORKER, """
                {"claimId": "%s", "worker": "w", "jobs": ["destroy"], "max": 1, "wait": "10s"}
                """.formatted(EngineRig.uuid())).is(200);
        Answer moving = rig.get("/resources?key=cluster/9", Role.READ).is(200);
        assertThat(moving.text("state")).isEqualTo("DESTROYING");
        assertThat(moving.text("owner")).isEqualTo(started.text("id"));
    }

    @Test
    void anOperatorAdoptsAResourceAndMendsItWhileItsKeyIsFree() {
        String adopt = "{\"key\": \"cluster/fleet-1\", \"state\": \"READY\", \"reason\": \"was there before\"}";
        rig.put("/resources", rig.key(Role.WORKER), adopt).isProblem(403, "forbidden");
        Answer adopted = rig.put("/resources", rig.key(Role.OPERATOR), adopt).is(200);
        assertThat(adopted.text("kind")).isEqualTo("cluster");
        assertThat(adopted.number("version")).isEqualTo(1);

        Answer started = rig.post("/runs", Role.TRIGGER, "{\"key\": \"cluster/fleet-1\", \"job\": \"destroy\"}")
                .is(201);
        String mend = "{\"key\": \"cluster/fleet-1\", \"state\": \"FAILED\", \"reason\": \"half gone\"}";
        assertThat(rig.put("/resources", rig.key(Role.OPERATOR), mend)
                        .isProblem(409, "lock-held")
                        .text("detail"))
                .contains("only while its key is free", "cancel it");
        rig.post("/runs/" + started.text("id") + "/cancel", Role.TRIGGER, "{\"reason\": \"no\"}")
                .is(202);
        assertThat(rig.put("/resources", rig.key(Role.OPERATOR), mend).is(200).text("state"))
                .isEqualTo("FAILED");
        assertThat(rig.get("/resources?key=cluster/fleet-1", Role.READ).text("state"))
                .isEqualTo("FAILED");
        JsonObject record =
                rig.get("/audit?key=cluster/fleet-1", Role.OPERATOR).is(200).json().getJsonArray("items").stream()
                        .map(JsonObject.class::cast)
                        .filter(found -> "half gone".equals(found.getString("reason")))
                        .findFirst()
                        .orElseThrow();
        assertThat(record.getString("before")).isEqualTo("READY");
        assertThat(record.getString("after")).isEqualTo("FAILED");
        rig.put("/resources", rig.key(Role.OPERATOR), "{\"key\": \"cluster/x\", \"state\": \"READY\"}")
                .isProblem(400, "invalid-request");
    }

    @Test
    void jobsAndTheJanitorAndTheContractAreShown() {
        assertThat(rig.get("/jobs", Role.READ).is(200).json().getJsonArray("items").stream()
                        .map(job -> ((JsonObject) job).getString("name")))
                .contains("quick", "remote", "flaky");
        assertThat(rig.get("/jobs/remote", Role.READ).is(200).json())
                .isEqualTo(rig.get("/jobs", Role.READ).json().getJsonArray("items").stream()
                        .map(JsonObject.class::cast)
                        .filter(job -> job.getString("name").equals("remote"))
                        .findFirst()
                        .orElseThrow());
        rig.get("/jobs/nothing", Role.READ).isProblem(404, "not-found");
        rig.engine.janitor().runOnce();
        JsonObject janitor = rig.get("/janitor", Role.READ).is(200).json();
        assertThat(janitor.getJsonArray("sweeps")).isNotEmpty();
        assertThat(Duration.parse(janitor.getString("every"))).isPositive();
        assertThat(Instant.parse(janitor.getString("nextAt"))).isAfter(Instant.EPOCH);
        Answer contract = rig.get("/openapi.json", (String) null).is(200);
        assertThat(contract.text("openapi")).startsWith("3.1");
    }
}
