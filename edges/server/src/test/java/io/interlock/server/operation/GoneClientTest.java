package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.LateStore;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Clients that close their connections, or are sent away, at the very moment at which they are granted what they wait for. What they
 * were granted is theirs: they may be at work under it by now, having asked again somewhere else.
 */
class GoneClientTest {

    private final LateStore late = new LateStore((RunStore) Stores.open("memory:"));
    private final EngineRig rig = EngineRig.on(late.store());

    @AfterEach
    void close() {
        rig.closeAll();
    }

    @Test
    void aLeaseGrantedToSomebodyWhoIsGoneIsFoundAgainByItsNameAlone() throws Exception {
        String lease = EngineRig.uuid();
        LateStore.Late grant = late.holdUp("tryAcquire");
        gone("/locks/acquire", acquiring("gone/1", lease, "30s"), grant);
        grant.arrive();
        rig.post("/locks/acquire", Role.WORKER, acquiring("gone/1", EngineRig.uuid(), "200ms"))
                .isProblem(409, "lock-held");
        Answer found = rig.post("/locks/acquire", Role.WORKER, acquiring("gone/1", lease, "10s"))
                .is(200);
        assertIsHeld("gone/1", found);
    }

    @Test
    void whoComesBackBeforeTheAnswerHasTheGrant() throws Exception {
        String lease = EngineRig.uuid();
        LateStore.Late grant = late.holdUp("tryAcquire");
        gone("/locks/acquire", acquiring("back/1", lease, "30s"), grant);
        CompletableFuture<Answer> again =
                rig.postLater("/locks/acquire", Role.WORKER, acquiring("back/1", lease, "10s"));
        await().until(() -> rig.activeRequests() == 1);
        grant.arrive();
        Answer granted = again.get(20, TimeUnit.SECONDS).is(200);
        rig.post("/locks/acquire", Role.WORKER, acquiring("back/1", EngineRig.uuid(), "200ms"))
                .isProblem(409, "lock-held");
        assertIsHeld("back/1", granted);
    }

    @Test
    void workClaimedForSomebodyWhoIsGoneIsFoundAgainByItsNameAlone() throws Exception {
        String run = start("claimed/1");
        String claimId = EngineRig.uuid();
        LateStore.Late claim = late.holdUp("claim");
        gone("/claims", claiming(claimId, "30s"), claim);
        claim.arrive();
        assertThat(claimed(rig, EngineRig.uuid(), "200ms")).isEmpty();
        assertIsAtWork(rig, run, claimed(rig, claimId, "10s").getJsonObject(0));
    }

    @Test
    void workClaimedAtANodeThatStopsIsDoneByWhoeverAsksTheNextNode() throws Exception {
        String run = start("restarted/1");
        String claimId = EngineRig.uuid();
        try (EngineRig next = EngineRig.on(late.store())) {
            LateStore.Late claim = late.holdUp("claim");
            CompletableFuture<Answer> asked = rig.postLater("/claims", Role.WORKER, claiming(claimId, "30s"));
            claim.awaitDone();
            rig.server.stop(Duration.ofSeconds(5)).toCompletableFuture().get(20, TimeUnit.SECONDS);
            asked.get(20, TimeUnit.SECONDS).isProblem(503, "shutting-down");
            JsonObject item = claimed(next, claimId, "10s").getJsonObject(0);
            claim.arrive();
            assertThat(claimed(next, EngineRig.uuid(), "200ms")).isEmpty();
            assertIsAtWork(next, run, item);
        }
    }

    private String start(String key) {
        return rig.post("/runs", Role.TRIGGER, "{\"key\": \"" + key + "\", \"job\": \"flaky\"}")
                .is(201)
                .text("id");
    }

    // By the same key at whichever node: only the worker that made a claim finds it again.
    private JsonArray claimed(EngineRig node, String claimId, String wait) {
        return node.post("/claims", rig.key(Role.WORKER), claiming(claimId, wait))
                .is(200)
                .json()
                .getJsonArray("items");
    }

    private static void assertIsAtWork(EngineRig node, String run, JsonObject item) {
        assertThat(item.getJsonObject("run").getString("id")).isEqualTo(run);
        assertThat(item.getJsonObject("run").getInteger("attempt")).isEqualTo(1);
        String proof = "{\"leaseId\": \"" + item.getString("leaseId") + "\", \"token\": " + item.getLong("token") + "}";
        node.post("/runs/" + run + "/heartbeat", Role.WORKER, proof).is(200);
    }

    private void assertIsHeld(String key, Answer granted) {
        assertThat(rig.get("/locks/validate?key=" + key + "&token=" + granted.number("token"), Role.WORKER)
                        .json()
                        .getBoolean("valid"))
                .isTrue();
    }

    /** Asks, and closes the connection when the store has granted it but no answer has been sent. */
    private void gone(String path, String body, LateStore.Late grant) throws Exception {
        String head = "POST /api/v1" + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nx-api-key: "
                + rig.key(Role.WORKER) + "\r\nContent-Length: " + body.length() + "\r\n\r\n";
        try (Socket client = new Socket(InetAddress.getLoopbackAddress(), rig.server.port())) {
            client.getOutputStream().write((head + body).getBytes(StandardCharsets.UTF_8));
            grant.awaitDone();
        }
        await().until(() -> rig.activeRequests() == 0);
    }

    private static String acquiring(String key, String id, String wait) {
        return """
                {"key": "%s", "leaseId": "%s", "ttl": "60s", "wait": "%s", "holder": "worker-3"}
                """.formatted(key, id, wait).strip();
    }

    private static String claiming(String id, String wait) {
        return """
                {"claimId": "%s", "worker": "w-1", "jobs": ["flaky"], "max": 1, "wait": "%s"}
                """.formatted(id, wait).strip();
    }
}
