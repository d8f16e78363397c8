package io.interlock.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.access.Role;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.server.EngineRig.Answer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two servers on one store, each on its own port, know nothing of each other but what the store says. */
class TwoNodesTest {

    @TempDir
    Path folder;

    private EngineRig one;
    private EngineRig two;

    @BeforeEach
    void open() {
        String url = "sqlite:" + folder.resolve("store.db");
        one = EngineRig.on((RunStore) Stores.open(url));
        two = EngineRig.on((RunStore) Stores.open(url));
    }

    @AfterEach
    void close() {
        one.closeAll();
        two.closeAll();
    }

    @Test
    void ofFiftyConcurrentStartsOfOneKeyOneRuns() throws Exception {
        List<CompletableFuture<Answer>> starts = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            starts.add((i % 2 == 0 ? one : two)
                    .postLater("/runs", Role.TRIGGER, "{\"key\": \"race\", \"job\": \"remote\"}"));
        }
        int started = 0;
        for (CompletableFuture<Answer> start : starts) {
            Answer answer = start.get(40, TimeUnit.SECONDS);
            started += answer.status() == 201 ? 1 : 0;
            if (answer.status() != 201) {
                answer.isProblem(409, "lock-held");
            }
        }
        assertThat(started).isEqualTo(1);
        assertThat(two.get("/runs?key=race", Role.READ).json().getJsonArray("items"))
                .hasSize(1);
    }

    @Test
    void fiftyWhoJoinThroughBothNodesAndFromJavaGetTheSameRun() throws Exception {
        List<CompletableFuture<Answer>> starts = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            starts.add((i % 2 == 0 ? one : two)
                    .postLater("/runs", Role.TRIGGER, "{\"key\": \"joined\", \"job\": \"joined\"}"));
        }
        List<String> ids = new ArrayList<>();
        for (CompletableFuture<Answer> start : starts) {
            Answer answer = start.get(40, TimeUnit.SECONDS);
            assertThat(answer.status()).isIn(200, 201);
            ids.add(answer.text("id"));
        }
        Submission java = one.engine.submit(
                RunRequest.of(LockKey.of(EngineRig.TENANT, "joined"), "joined").onConflict(ConflictPolicy.JOIN));
        ids.add(java.orElseThrow().id().toString());
        assertThat(ids).hasSize(51).containsOnly(ids.get(0));
    }

    @Test
    void aKeyTakenThroughOneNodeIsRefusedAndReleasedThroughTheOther() {
        String id = EngineRig.uuid();
        Answer lease =
                one.post("/locks/acquire", Role.WORKER, """
                {"key": "both", "leaseId": "%s", "ttl": "30s", "holder": "w"}
                """.formatted(id)).is(200);
        two.post("/runs", Role.TRIGGER, "{\"key\": \"both\", \"job\": \"remote\"}")
                .isProblem(409, "lock-held");
        two.post("/locks/release", Role.WORKER, """
                {"key": "both", "leaseId": "%s", "token": %d}
                """.formatted(id, lease.number("token")))
                .is(204);
        one.post("/runs", Role.TRIGGER, "{\"key\": \"both\", \"job\": \"remote\"}")
                .is(201);
    }
}
