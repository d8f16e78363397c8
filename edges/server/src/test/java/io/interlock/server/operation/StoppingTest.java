package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A process closes its engine first, which lets work end, and answers requests until it is through with that. */
class StoppingTest {

    private final EngineRig rig = EngineRig.on("memory:");

    @AfterEach
    void close() {
        rig.closeAll();
    }

    @Test
    void whoeverAsksANodeWhoseEngineClosesHearsThatItStops() throws Exception {
        Answer run = rig.post("/runs", Role.WORKER, "{\"key\": \"stop/1\", \"execution\": \"caller\"}")
                .is(201);
        String proof = "{\"leaseId\": \"" + run.text("leaseId") + "\", \"token\": " + run.number("token");
        List<CompletableFuture<Answer>> waiting = List.of(
                rig.postLater("/claims", Role.WORKER, claim("20s")),
                rig.postLater("/locks/acquire", Role.WORKER, acquire("stop/1", "20s")));
        await().until(() -> rig.activeRequests() == 2);
        rig.engine.close();
        for (CompletableFuture<Answer> each : waiting) {
            isToldToGoElsewhere(each.get(10, TimeUnit.SECONDS));
        }
        isToldToGoElsewhere(rig.post("/runs", Role.TRIGGER, "{\"key\": \"stop/2\", \"job\": \"quick\"}"));
        isToldToGoElsewhere(rig.post("/claims", Role.WORKER, claim("0s")));
        isToldToGoElsewhere(rig.post("/locks/acquire", Role.WORKER, acquire("stop/3", "0s")));
        String id = run.text("id");
        isToldToGoElsewhere(rig.post("/runs/" + id + "/redrive", Role.OPERATOR, "{}"));
        isToldToGoElsewhere(rig.get("/runs/" + id, rig.key(Role.READ), "Prefer", "wait=20"));
        isToldToGoElsewhere(rig.post("/runs/" + id + "/heartbeat", Role.WORKER, proof + "}"));
        isToldToGoElsewhere(rig.post("/runs/" + id + "/finish", Role.WORKER, proof + ", \"outcome\": \"SUCCEEDED\"}"));
    }

    private static void isToldToGoElsewhere(Answer answer) {
        answer.isProblem(503, "shutting-down");
        assertThat(answer.header("Retry-After")).isEqualTo("1");
    }

    private static String claim(String wait) {
        return """
                {"claimId": "%s", "worker": "w-1", "jobs": ["remote"], "max": 1, "wait": "%s"}
                """.formatted(EngineRig.uuid(), wait);
    }

    private static String acquire(String key, String wait) {
        return """
                {"key": "%s", "leaseId": "%s", "ttl": "30s", "wait": "%s", "holder": "worker-3"}
                """.formatted(key, EngineRig.uuid(), wait);
    }
}
