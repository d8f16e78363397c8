package io.interlock.server.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.LateStore;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import io.vertx.core.json.JsonObject;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Clients that close their connections at the very moment at which they are granted what they wait for. All leases here last longer
 * than any wait, so whoever gets a key got it because it was given back.
 */
class GoneClientTest {

    private final LateStore late = new LateStore((RunStore) Stores.open("memory:"));
    private final EngineRig rig = EngineRig.on(late.store());

    @AfterEach
    void close() {
        rig.closeAll();
    }

    @Test
    void aLeaseGrantedToSomebodyWhoIsGoneIsFreeForTheNext() throws Exception {
        LateStore.Late grant = late.holdUp("tryAcquire");
        gone("/locks/acquire", acquiring("gone/1", EngineRig.uuid(), "30s"), grant);
        grant.arrive();
        rig.post("/locks/acquire", Role.WORKER, acquiring("gone/1", EngineRig.uuid(), "10s"))
                .is(200);
    }

    @Test
    void whoComesBackWithTheSameNameHasTheGrant() throws Exception {
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
        assertThat(rig.get("/locks/validate?key=back/1&token=" + granted.number("token"), Role.WORKER)
                        .json()
                        .getBoolean("valid"))
                .isTrue();
    }

    @Test
    void workClaimedForSomebodyWhoIsGoneGoesToTheNext() throws Exception {
        String run = rig.post("/runs", Role.TRIGGER, "{\"key\": \"claimed/1\", \"job\": \"flaky\"}")
                .is(201)
                .text("id");
        LateStore.Late claim = late.holdUp("claim");
        gone("/claims", claiming(EngineRig.uuid(), "30s"), claim);
        claim.arrive();
        JsonObject item = rig.post("/claims", Role.WORKER, claiming(EngineRig.uuid(), "10s"))
                .is(200)
                .json()
                .getJsonArray("items")
                .getJsonObject(0);
        assertThat(item.getJsonObject("run").getString("id")).isEqualTo(run);
        // Its last attempt is not spent on somebody who may come back.
        rig.post(
                        "/runs/" + run + "/heartbeat",
                        Role.WORKER,
                        "{\"leaseId\": \"" + item.getString("leaseId") + "\", \"token\": " + item.getLong("token")
                                + "}")
                .is(200);
    }

    @Test
    void aLastAttemptWaitsForWhoeverClaimedIt() throws Exception {
        String claimId = EngineRig.uuid();
        rig.post("/runs", Role.TRIGGER, "{\"key\": \"last/1\", \"job\": \"remote\"}")
                .is(201);
        LateStore.Late claim = late.holdUp("claim");
        String body = claiming(claimId, "30s").replace("flaky", "remote");
        gone("/claims", body, claim);
        claim.arrive();
        Answer back = rig.post("/claims", Role.WORKER, body).is(200);
        assertThat(back.json()
                        .getJsonArray("items")
                        .getJsonObject(0)
                        .getJsonObject("run")
                        .getInteger("attempt"))
                .isEqualTo(1);
    }

    /** Asks, and closes the connection when the store has granted it but nobody knows. */
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
