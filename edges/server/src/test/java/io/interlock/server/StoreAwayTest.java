package io.interlock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.server.EngineRig.Answer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The store goes away and comes back. */
class StoreAwayTest {

    private final AwayStore store = new AwayStore((RunStore) Stores.open("memory:"));
    private final EngineRig rig = EngineRig.on(store.store());

    @AfterEach
    void close() {
        store.away(false);
        rig.closeAll();
    }

    @Test
    void everyRequestIsAnsweredThatTheStoreIsAwayAndNothingStarts() {
        String run = rig.post("/runs", Role.WORKER, "{\"key\": \"before\", \"execution\": \"caller\"}")
                .is(201)
                .text("id");
        for (Role role : Role.values()) {
            rig.get("/jobs", role).is(200);
        }
        store.away(true);
        String lease = EngineRig.uuid();
        List<Answer> answers = List.of(
                rig.post("/runs", Role.TRIGGER, "{\"key\": \"during\", \"job\": \"quick\"}"),
                rig.post("/runs", Role.WORKER, "{\"key\": \"during\", \"execution\": \"caller\"}"),
                rig.get("/runs", Role.READ),
                rig.get("/runs/" + run, Role.READ),
                rig.post("/locks/acquire", Role.WORKER, """
                        {"key": "during", "leaseId": "%s", "ttl": "30s", "wait": "10s", "holder": "w"}
                        """.formatted(lease)),
                rig.post("/locks/renew", Role.WORKER, """
                        {"key": "during", "leaseId": "%s", "token": 1}
                        """.formatted(lease)),
                rig.post("/claims", Role.WORKER, """
                        {"claimId": "%s", "worker": "w", "jobs": ["remote"], "max": 1, "wait": "10s"}
                        """.formatted(lease)),
                rig.get("/locks", Role.READ),
                rig.get("/audit", Role.OPERATOR),
                rig.post("/locks/pause", Role.OPERATOR, "{\"key\": \"during\", \"reason\": \"x\"}"));
        answers.forEach(answer -> {
            answer.isProblem(503, "store-unavailable");
            assertThat(answer.header("Retry-After")).isNotEmpty();
            assertThat(answer.response().body()).doesNotContain("canary-password", "db.internal");
        });
        store.away(false);
        assertThat(rig.get("/locks?key=during", Role.READ)
                        .is(200)
                        .json()
                        .getJsonArray("items")
                        .getJsonObject(0)
                        .getString("state"))
                .isEqualTo("FREE");
        assertThat(rig.get("/runs?key=during", Role.READ).json().getJsonArray("items"))
                .isEmpty();
        rig.post("/runs", Role.TRIGGER, "{\"key\": \"after\", \"job\": \"quick\"}")
                .is(201);
    }

    @Test
    void aRunThatIsInLineIsSaidToBeThoughNobodyCanSayWhy() {
        rig.post("/runs", Role.WORKER, "{\"key\": \"line\", \"execution\": \"caller\"}")
                .is(201);
        store.away("explain");
        Answer queued = rig.post(
                        "/runs", Role.TRIGGER, "{\"key\": \"line\", \"job\": \"remote\", \"onConflict\": \"QUEUE\"}")
                .is(202);
        assertThat(queued.number("position")).isEqualTo(1);
        store.away("keys");
        Answer refused = rig.post("/runs", Role.TRIGGER, "{\"key\": \"line\", \"job\": \"remote\"}")
                .isProblem(409, "lock-held");
        assertThat(refused.json().getJsonObject("holder").getString("runId")).isNotNull();
    }

    @Test
    void serviceIsBackWithoutARestartAlsoForThoseWhoWait() throws Exception {
        List<CompletableFuture<Answer>> waiting = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            waiting.add(rig.postLater("/claims", Role.WORKER, """
                    {"claimId": "%s", "worker": "w", "jobs": ["remote"], "max": 1, "wait": "30s"}
                    """.formatted(EngineRig.uuid())));
        }
        await().until(() -> rig.activeRequests() >= 20);
        store.away(true);
        for (CompletableFuture<Answer> each : waiting) {
            each.get(20, TimeUnit.SECONDS).isProblem(503, "store-unavailable");
        }
        store.away(false);
        await().atMost(Duration.ofSeconds(20))
                .until(() -> rig.post(
                                        "/runs",
                                        Role.TRIGGER,
                                        "{\"key\": \"back\", \"job\": \"quick\", \"onConflict\": \"SKIP\"}")
                                .status()
                        < 300);
    }
}
