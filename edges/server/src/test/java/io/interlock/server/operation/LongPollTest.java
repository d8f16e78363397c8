package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Requests that wait: for work, for a turn, for a key, for an end. */
class LongPollTest {

    private EngineRig rig;

    @BeforeEach
    void open() {
        rig = EngineRig.on("memory:");
    }

    @AfterEach
    void close() {
        rig.closeAll();
    }

    @Test
    void aWorkerWaitsForWorkAndGetsTheSameForTheSameClaim() throws Exception {
        String claim = claim(EngineRig.uuid(), "20s");
        CompletableFuture<Answer> waiting = rig.postLater("/claims", Role.WORKER, claim);
        String id = rig.post("/runs", Role.TRIGGER, "{\"key\": \"a\", \"job\": \"remote\", \"parameters\": {\"n\": 1}}")
                .is(201)
                .text("id");
        JsonObject item = waiting.get(20, TimeUnit.SECONDS)
                .is(200)
                .json()
                .getJsonArray("items")
                .getJsonObject(0);
        assertThat(item.getJsonObject("run").getString("id")).isEqualTo(id);
        assertThat(item.getJsonObject("parameters")).isEqualTo(new JsonObject().put("n", 1));
        JsonObject again = rig.post("/claims", Role.WORKER, claim)
                .is(200)
                .json()
                .getJsonArray("items")
                .getJsonObject(0);
        assertThat(again.getString("leaseId")).isEqualTo(item.getString("leaseId"));
        assertThat(again.getLong("token")).isEqualTo(item.getLong("token"));
        assertThat(rig.post("/claims", Role.WORKER, claim(EngineRig.uuid(), "1ms"))
                        .is(200)
                        .json()
                        .getJsonArray("items"))
                .isEqualTo(new JsonArray());
    }

    @Test
    void workOfAnotherTenantIsNotForTheTaking() {
        rig.post("/runs", Role.TRIGGER, "{\"key\": \"a\", \"job\": \"remote\"}").is(201);
        Answer foreign = rig.post("/claims", rig.key("other", Role.WORKER), claim(EngineRig.uuid(), "1ms"));
        assertThat(foreign.is(200).json().getJsonArray("items")).isEmpty();
    }

    @Test
    void aRevokedKeyIsHandedNothingByItsOpenPoll() throws Exception {
        KeyRing.IssuedKey worker = rig.issue(EngineRig.TENANT, Role.WORKER);
        CompletableFuture<Answer> claiming = postLater("/claims", worker, claim(EngineRig.uuid(), "30s"));
        Answer held = acquire("revoked", EngineRig.uuid(), "0s").is(200);
        CompletableFuture<Answer> acquiring =
                postLater("/locks/acquire", worker, acquiring("revoked", EngineRig.uuid(), "30s"));
        await().until(() -> rig.activeRequests() == 2);
        revoke(worker);
        String id = rig.post("/runs", Role.TRIGGER, "{\"key\": \"a\", \"job\": \"remote\"}")
                .is(201)
                .text("id");
        release(held);
        claiming.get(20, TimeUnit.SECONDS).isProblem(401, "unauthenticated");
        acquiring.get(20, TimeUnit.SECONDS).isProblem(401, "unauthenticated");
        assertThat(rig.get("/runs/" + id, Role.READ).is(200).text("state")).isEqualTo("PENDING");
        acquire("revoked", EngineRig.uuid(), "0s").is(200);
    }

    @Test
    void aKeyRevokedElsewhereEndsItsWaits() throws Exception {
        KeyRing.IssuedKey worker = rig.issue(EngineRig.TENANT, Role.WORKER);
        CompletableFuture<Answer> claiming = postLater("/claims", worker, claim(EngineRig.uuid(), "30s"));
        await().until(() -> rig.activeRequests() == 1);
        // As another node does it: this one learns of it from the store.
        rig.store.accessKeys().revokeKey(worker.kept().id(), "test", "lost");
        claiming.get(20, TimeUnit.SECONDS).isProblem(401, "unauthenticated");
    }

    @Test
    void aCallerWaitsForItsTurn() throws Exception {
        Answer first = caller("turn", "REJECT").is(201);
        Answer second = caller("turn", "QUEUE").is(202);
        String id = second.text("id");
        String lease = EngineRig.uuid();
        Answer still = rig.post("/runs/" + id + "/claim", Role.WORKER, "{\"leaseId\": \"" + lease + "\"}")
                .is(202);
        assertThat(still.number("position")).isEqualTo(1);
        CompletableFuture<Answer> waiting = rig.postLater(
                "/runs/" + id + "/claim", Role.WORKER, "{\"leaseId\": \"" + lease + "\", \"wait\": \"20s\"}");
        finish(first);
        Answer turn = waiting.get(20, TimeUnit.SECONDS).is(200);
        assertThat(turn.text("state")).isEqualTo("RUNNING");
        assertThat(turn.text("leaseId")).isEqualTo(lease);
        assertThat(turn.number("token")).isGreaterThan(first.number("token"));
        finish(turn);
        rig.post("/runs/" + id + "/claim", Role.WORKER, "{\"leaseId\": \"" + lease + "\"}")
                .isProblem(409, "run-finished");
    }

    @Test
    void aStartMayPreferToWaitForItsTurn() throws Exception {
        Answer first = caller("prefer", "REJECT").is(201);
        CompletableFuture<Answer> waiting = CompletableFuture.supplyAsync(() -> rig.post(
                "/runs",
                rig.key(Role.WORKER),
                "{\"key\": \"prefer\", \"execution\": \"caller\", \"onConflict\": \"QUEUE\"}",
                "Prefer",
                "wait=20"));
        await().until(() -> rig.get("/locks?key=prefer", Role.READ)
                        .json()
                        .getJsonArray("items")
                        .getJsonObject(0)
                        .getInteger("waiting")
                == 1);
        finish(first);
        Answer turn = waiting.get(20, TimeUnit.SECONDS).is(201);
        assertThat(turn.text("leaseId")).isNotNull();
        finish(turn);
    }

    @Test
    void whoWaitsForALeaseHasItWhenItIsReleased() throws Exception {
        Answer first = acquire("lease", EngineRig.uuid(), "0s").is(200);
        CompletableFuture<Answer> waiting =
                rig.postLater("/locks/acquire", Role.WORKER, acquiring("lease", EngineRig.uuid(), "20s"));
        release(first);
        Answer second = waiting.get(20, TimeUnit.SECONDS).is(200);
        assertThat(second.number("token")).isGreaterThan(first.number("token"));
        acquire("lease", EngineRig.uuid(), "50ms").isProblem(409, "lock-held");
    }

    @Test
    void aClientThatGoesAwayLeavesTheLine() throws Exception {
        Answer first = acquire("gone", EngineRig.uuid(), "0s").is(200);
        for (int i = 0; i < 5; i++) {
            try (Socket client = raw(acquiring("gone", EngineRig.uuid(), "30s"))) {
                await().until(() -> client.isConnected() && rig.activeRequests() >= 1);
            }
        }
        // Before the server has noticed, they are still there.
        await().until(() -> rig.activeRequests() == 0);
        String patient = EngineRig.uuid();
        CompletableFuture<Answer> waiting =
                rig.postLater("/locks/acquire", Role.WORKER, acquiring("gone", patient, "30s"));
        release(first);
        assertThat(waiting.get(30, TimeUnit.SECONDS).is(200).text("leaseId")).isEqualTo(patient);
    }

    @Test
    void aServerThatStopsAnswersWhoeverWaits() throws Exception {
        List<CompletableFuture<Answer>> waiting = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            waiting.add(rig.postLater("/claims", Role.WORKER, claim(EngineRig.uuid(), "30s")));
        }
        await().until(() -> rig.activeRequests() >= 10);
        rig.server.stop(Duration.ofSeconds(20)).toCompletableFuture().join();
        for (CompletableFuture<Answer> each : waiting) {
            each.get(5, TimeUnit.SECONDS).isProblem(503, "shutting-down");
        }
    }

    @Test
    void aThousandWhoWaitTakeNoThreadEach() throws Exception {
        Answer first = acquire("crowd", EngineRig.uuid(), "0s").is(200);
        List<CompletableFuture<Answer>> waiting = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            waiting.add(rig.postLater("/locks/acquire", Role.WORKER, acquiring("crowd", EngineRig.uuid(), "2s")));
        }
        await().until(() -> rig.activeRequests() > 900);
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .map(Thread::getName)
                        .filter(name -> name.matches("(interlock|vert\\.x).*")))
                .as("threads of the server")
                .hasSizeLessThan(200);
        rig.get("/jobs", Role.READ).is(200);
        for (CompletableFuture<Answer> each : waiting) {
            each.get(40, TimeUnit.SECONDS).isProblem(409, "lock-held");
        }
        release(first);
    }

    private CompletableFuture<Answer> postLater(String path, KeyRing.IssuedKey key, String body) {
        return CompletableFuture.supplyAsync(() -> rig.post(path, key.secret().text(), body));
    }

    private void revoke(KeyRing.IssuedKey key) {
        rig.ring
                .revoke(EngineRig.TENANT, key.kept().id(), "test", "lost")
                .toCompletableFuture()
                .join();
    }

    private Socket raw(String body) throws Exception {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), rig.server.port());
        socket.getOutputStream()
                .write(
                        ("POST /api/v1/locks/acquire HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nx-api-key: "
                                        + rig.key(Role.WORKER) + "\r\nContent-Length: " + body.length() + "\r\n\r\n"
                                        + body)
                                .getBytes(StandardCharsets.UTF_8));
        return socket;
    }

    private Answer caller(String key, String policy) {
        return rig.post(
                "/runs",
                Role.WORKER,
                "{\"key\": \"" + key + "\", \"execution\": \"caller\", \"onConflict\": \"" + policy + "\"}");
    }

    private void finish(Answer run) {
        rig.post("/runs/" + run.text("id") + "/finish", Role.WORKER, """
                {"leaseId": "%s", "token": %d, "outcome": "SUCCEEDED"}
                """.formatted(
                                run.text("leaseId"), run.number("token")))
                .is(200);
    }

    private Answer acquire(String key, String id, String wait) {
        return rig.post("/locks/acquire", Role.WORKER, acquiring(key, id, wait));
    }

    private void release(Answer lease) {
        rig.post("/locks/release", Role.WORKER, """
                {"key": "%s", "leaseId": "%s", "token": %d}
                """.formatted(
                                lease.text("key"), lease.text("leaseId"), lease.number("token")))
                .is(204);
    }

    private static String acquiring(String key, String id, String wait) {
        return """
                {"key": "%s", "leaseId": "%s", "ttl": "30s", "wait": "%s", "holder": "worker-3"}
                """.formatted(key, id, wait).strip();
    }

    private static String claim(String id, String wait) {
        return """
                {"claimId": "%s", "worker": "w-1", "jobs": ["remote"], "max": 5, "wait": "%s"}
                """.formatted(id, wait);
    }
}
