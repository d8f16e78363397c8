package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.ServedTest;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Leases without runs, and what operators do to keys, over HTTP. */
class LocksTest extends ServedTest {

    @Test
    void aLeaseIsAcquiredRenewedValidatedAndReleased() {
        String id = EngineRig.uuid();
        Answer lease = acquire("ledger/1", id).is(200);
        assertThat(lease.text("leaseId")).isEqualTo(id);
        assertThat(lease.text("heartbeatEvery")).isEqualTo("PT10S");
        assertThat(acquire("ledger/1", id).is(200).number("token"))
                .as("the same lease id is the same grant")
                .isEqualTo(lease.number("token"));
        Answer valid = rig.get("/locks/validate?key=ledger/1&token=" + lease.number("token"), Role.WORKER)
                .is(200);
        assertThat(valid.json().getBoolean("valid")).isTrue();
        rig.post("/locks/renew", Role.WORKER, held("ledger/1", id, lease.number("token")))
                .is(200);
        rig.post("/locks/release", Role.WORKER, held("ledger/1", id, lease.number("token")))
                .is(204);
        rig.post("/locks/release", Role.WORKER, held("ledger/1", id, lease.number("token")))
                .is(204);
        Answer over = rig.get("/locks/validate?key=ledger/1&token=" + lease.number("token"), Role.WORKER);
        assertThat(over.json()).isEqualTo(new JsonObject().put("valid", false).putNull("currentToken"));
        Answer lost = rig.post("/locks/renew", Role.WORKER, held("ledger/1", id, lease.number("token")))
                .isProblem(410, "lease-lost");
        assertThat(lost.number("token")).isEqualTo(lease.number("token"));
        assertThat(lost.json().fieldNames()).as("also if there is none").contains("currentToken");
    }

    @Test
    void aLeaseIdInCapitalsIsTheSameLeaseId() {
        String id = EngineRig.uuid();
        Answer lease = acquire("ledger/3", id.toUpperCase(Locale.ROOT)).is(200);
        assertThat(acquire("ledger/3", id).is(200).number("token"))
                .as("as uuidgen writes it elsewhere")
                .isEqualTo(lease.number("token"));
        assertThat(acquire("ledger/3", "lease-1")
                        .isProblem(400, "invalid-request")
                        .json()
                        .encode())
                .contains("/leaseId", "is not a UUID");
    }

    @Test
    void aHeldKeyIsRefusedAndALostLeaseLearnsTheCurrentToken() {
        Answer mine = acquire("ledger/2", EngineRig.uuid()).is(200);
        Answer refused = acquire("ledger/2", EngineRig.uuid()).isProblem(409, "lock-held");
        assertThat(refused.json().getJsonObject("holder").getString("holder")).isEqualTo("worker-3");
        assertThat(refused.number("queueLength")).isZero();
        Answer forged = rig.post("/locks/renew", Role.WORKER, held("ledger/2", EngineRig.uuid(), 1))
                .isProblem(410, "lease-lost");
        assertThat(forged.number("currentToken")).isEqualTo(mine.number("token"));
        rig.post("/locks/release", Role.WORKER, held("ledger/2", EngineRig.uuid(), mine.number("token")))
                .isProblem(410, "lease-lost");
        rig.post("/locks/release", Role.WORKER, held("ledger/2", mine.text("leaseId"), mine.number("token") + 1))
                .isProblem(410, "lease-lost");
        Answer still = rig.get("/locks/validate?key=ledger/2&token=" + mine.number("token"), Role.WORKER);
        assertThat(still.json().getBoolean("valid"))
                .as("a wrong lease id or token does not end it")
                .isTrue();
    }

    @Test
    void theLineOfAKeyIsShownFromTheFrontInPages() {
        Answer holder = rig.post("/runs", Role.WORKER, "{\"key\": \"line/1\", \"execution\": \"caller\"}")
                .is(201);
        List<String> waiting = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            waiting.add(rig.post(
                            "/runs",
                            Role.TRIGGER,
                            "{\"key\": \"line/1\", \"job\": \"remote\", \"onConflict\": \"QUEUE\", \"reason\": \"no. "
                                    + i + "\"}")
                    .is(202)
                    .text("id"));
        }
        List<String> listed = new ArrayList<>();
        JsonObject page = null;
        do {
            String cursor = page == null ? "" : "&cursor=" + page.getString("cursor");
            page = rig.get("/locks/line?key=line/1&limit=20" + cursor, Role.READ)
                    .is(200)
                    .json();
            assertThat(page.getInteger("total")).isEqualTo(50);
            assertThat(page.getJsonObject("lock").getJsonObject("holder").getString("runId"))
                    .isEqualTo(holder.text("id"));
            assertThat(page.getJsonObject("lock").getString("renewedEvery")).isEqualTo("PT10S");
            for (Object item : page.getJsonArray("items")) {
                JsonObject waiter = (JsonObject) item;
                listed.add(waiter.getString("id"));
                assertThat(waiter.getInteger("place")).isEqualTo(listed.size());
                assertThat(waiter.containsKey("startsAt"))
                        .as("no run has ended yet")
                        .isFalse();
            }
        } while (page.containsKey("cursor"));
        assertThat(listed).isEqualTo(waiting);
        rig.get("/locks/line?key=line/1&cursor=bGluZTp4", Role.READ).isProblem(400, "invalid-request");
        JsonObject idle =
                rig.get("/locks/line?key=line/none", Role.READ).is(200).json();
        assertThat(idle.getJsonObject("lock").getString("state")).isEqualTo("FREE");
        assertThat(idle.getJsonArray("items")).isEmpty();
    }

    @Test
    void runsAndBareLeasesShareOneKeySpace() {
        acquire("shared/1", EngineRig.uuid()).is(200);
        rig.post("/runs", Role.TRIGGER, "{\"key\": \"shared/1\", \"job\": \"remote\"}")
                .isProblem(409, "lock-held");
        rig.post("/runs", Role.WORKER, "{\"key\": \"shared/2\", \"execution\": \"caller\"}")
                .is(201);
        acquire("shared/2", EngineRig.uuid()).isProblem(409, "lock-held");
        rig.post("/runs", Role.TRIGGER, "{\"key\": \"shared/3\", \"job\": \"remote\"}")
                .is(201);
        Answer reserved = acquire("shared/3", EngineRig.uuid()).isProblem(409, "lock-held");
        assertThat(reserved.json().getJsonObject("holder").getString("runId")).isNotNull();
    }

    @Test
    void anEvictionNeedsTheTokenItsActorSawAndIsAudited() {
        Answer lease = acquire("evict/1", EngineRig.uuid()).is(200);
        long token = lease.number("token");
        String next = rig.post(
                        "/runs", Role.TRIGGER, "{\"key\": \"evict/1\", \"job\": \"remote\", \"onConflict\": \"QUEUE\"}")
                .is(202)
                .text("id");
        String evict = "{\"key\": \"evict/1\", \"token\": %d, \"reason\": \"powered off\"}";
        rig.post("/locks/evict", Role.WORKER, evict.formatted(token)).isProblem(403, "forbidden");
        Answer stale = rig.post("/locks/evict", Role.OPERATOR, evict.formatted(token + 1))
                .isProblem(412, "token-stale");
        assertThat(stale.number("currentToken")).isEqualTo(token);
        Answer evicted =
                rig.post("/locks/evict", Role.OPERATOR, evict.formatted(token)).is(200);
        assertThat(evicted.number("releasedToken")).isEqualTo(token);
        assertThat(evicted.text("nextRun")).isEqualTo(next);
        rig.post("/locks/renew", Role.WORKER, held("evict/1", lease.text("leaseId"), token))
                .isProblem(410, "lease-lost");
        JsonObject record = rig.get("/audit?key=evict/1", Role.OPERATOR).is(200).json().getJsonArray("items").stream()
                .map(JsonObject.class::cast)
                .filter(each -> each.getString("action").equals("evicted"))
                .findFirst()
                .orElseThrow();
        assertThat(record.getString("reason")).isEqualTo("powered off");
        assertThat(record.getString("actor")).startsWith("key ");
        rig.post("/locks/evict", Role.OPERATOR, "{\"key\": \"evict/none\", \"token\": 1, \"reason\": \"x\"}")
                .isProblem(412, "token-stale");
    }

    @Test
    void aPatternThatCanBeNoKeysNameIsRefused() {
        for (String pattern : List.of("x".repeat(512) + "*", "\u00e9".repeat(256) + "*")) {
            rig.post("/locks/pause", Role.OPERATOR, "{\"pattern\": \"" + pattern + "\", \"reason\": \"x\"}")
                    .isProblem(400, "invalid-request");
        }
    }

    @Test
    void aPausedPatternGrantsNothingUntilItIsResumed() {
        String until = Instant.now().plusSeconds(3600).toString();
        Answer paused = rig.post(
                        "/locks/pause",
                        Role.OPERATOR,
                        "{\"pattern\": \"paused/*\", \"reason\": \"maintenance\", \"until\": \"" + until + "\"}")
                .is(200);
        assertThat(paused.text("pattern")).isEqualTo("paused/*");
        Answer refused = acquire("paused/1", EngineRig.uuid()).isProblem(409, "key-paused");
        assertThat(refused.text("reason")).isEqualTo("maintenance");
        assertThat(refused.text("pausedBy")).startsWith("key ");
        assertThat(refused.text("until")).isNotNull();
        rig.post("/runs", Role.TRIGGER, "{\"key\": \"paused/1\", \"job\": \"remote\"}")
                .isProblem(409, "key-paused");
        JsonObject lock = rig.get("/locks?key=paused/1", Role.READ)
                .json()
                .getJsonArray("items")
                .getJsonObject(0);
        assertThat(lock.getString("state")).isEqualTo("PAUSED");
        assertThat(rig.get("/locks", Role.READ).json().getJsonArray("pauses").stream()
                        .map(pause -> ((JsonObject) pause).getString("pattern")))
                .contains("paused/*");
        rig.post("/locks/resume", Role.OPERATOR, "{\"pattern\": \"paused/*\"}").is(200);
        rig.post("/locks/resume", Role.OPERATOR, "{\"pattern\": \"paused/*\"}").isProblem(404, "not-found");
        acquire("paused/1", EngineRig.uuid()).is(200);
    }

    @Test
    void aPauseThatMakesNoSenseIsRefused() {
        for (String body : List.of(
                "{\"key\": \"a\", \"pattern\": \"b*\", \"reason\": \"x\"}",
                "{\"key\": \"a*\", \"reason\": \"x\"}",
                "{\"pattern\": \"a*b\", \"reason\": \"x\"}",
                "{\"key\": \"a\", \"reason\": \"x\", \"until\": \"2001-01-01T00:00:00Z\"}",
                "{\"key\": \"a\", \"reason\": \"x\", \"until\": \"tomorrow\"}",
                "{\"key\": \"a\", \"reason\": \" \"}")) {
            assertThat(rig.post("/locks/pause", Role.OPERATOR, body).status())
                    .as(body)
                    .isEqualTo(400);
        }
    }

    @Test
    void locksAreListedWithTheirStateAndFilteredAndPaged() {
        for (int i = 0; i < 5; i++) {
            acquire("list/" + i, EngineRig.uuid()).is(200);
        }
        rig.post("/runs", Role.TRIGGER, "{\"key\": \"list/9\", \"job\": \"remote\"}")
                .is(201);
        Answer all = rig.get("/locks?key=list/*", Role.READ).is(200);
        assertThat(all.json().getJsonArray("items")).hasSize(6);
        JsonObject held = all.json().getJsonArray("items").getJsonObject(0);
        assertThat(held.getString("state")).isEqualTo("HELD");
        assertThat(held.getString("leaseLeft")).startsWith("PT");
        assertThat(held.getString("explanation")).contains("is held by worker-3");
        Answer waiting = rig.get("/locks?key=list/*&state=WAITING", Role.READ).is(200);
        assertThat(waiting.json().getJsonArray("items")).hasSize(1);
        Answer first =
                rig.get("/locks?key=list/*&state=HELD&limit=2", Role.READ).is(200);
        Answer second = rig.get("/locks?key=list/*&state=HELD&limit=2&cursor=" + first.text("cursor"), Role.READ)
                .is(200);
        Answer third = rig.get("/locks?key=list/*&state=HELD&limit=2&cursor=" + second.text("cursor"), Role.READ)
                .is(200);
        assertThat(List.of(names(first), names(second), names(third)))
                .isEqualTo(List.of(List.of("list/0", "list/1"), List.of("list/2", "list/3"), List.of("list/4")));
        JsonObject free = rig.get("/locks?key=list/free", Role.READ)
                .json()
                .getJsonArray("items")
                .getJsonObject(0);
        assertThat(free.getString("state")).isEqualTo("FREE");
        String foreign = "cursor=" + first.text("cursor").substring(1);
        rig.get("/locks?" + foreign, Role.READ).isProblem(400, "invalid-request");
        assertTimeout(
                Duration.ofSeconds(10),
                () -> rig.get("/locks?key=list/0&" + foreign, rig.key(Role.READ), "Prefer", "wait=30")
                        .isProblem(400, "invalid-request"),
                "before it waits for a holder");
        assertThat(rig.get("/locks", rig.key("other", Role.READ)).json().getJsonArray("items"))
                .as("another tenant's eyes")
                .isEmpty();
    }

    private Answer acquire(String key, String id) {
        return rig.post("/locks/acquire", Role.WORKER, """
                {"key": "%s", "leaseId": "%s", "ttl": "30s", "holder": "worker-3"}
                """.formatted(key, id));
    }

    private static String held(String key, String id, long token) {
        return "{\"key\": \"" + key + "\", \"leaseId\": \"" + id + "\", \"token\": " + token + "}";
    }

    private static List<String> names(Answer page) {
        return page.json().getJsonArray("items").stream()
                .map(lock -> ((JsonObject) lock).getString("key"))
                .toList();
    }
}
