package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.engine.Job;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A worker that takes an execution and is never heard of again. */
class StaleLockTest {

    @Test
    void aLockWhoseHolderIsGoneIsStaleUntilItIsCleanedAndTaken() {
        CompatRig rig = CompatRig.on(
                "memory:",
                WorkflowApi.DOCUMENT,
                List.of(CompatRig.job(
                        CompatApi.WORKFLOWS,
                        Job.named("invoice").lease(Duration.ofSeconds(2)).expiryGrace(Duration.ofSeconds(2)),
                        "invoice")));
        try {
            String first = rig.post("/api/webhooks/invoice", Role.TRIGGER, "{}")
                    .is(200)
                    .text("executionId");
            rig.post(
                            "/api/v1/claims",
                            Role.WORKER,
                            "{\"claimId\": \"" + UUID.randomUUID()
                                    + "\", \"worker\": \"w\", \"jobs\": [\"invoice\"], \"max\": 1}")
                    .is(200);
            assertThat(lock(rig).getBoolean("isStale")).isFalse();
            await().atMost(Duration.ofSeconds(20)).until(() -> lock(rig).getBoolean("isStale"));
            assertThat(lock(rig).getString("executionId")).isEqualTo(first);
            await().atMost(Duration.ofSeconds(20)).until(() -> {
                rig.post("/api/workflows/locks/cleanup", Role.OPERATOR, "").is(200);
                return !lock(rig).getBoolean("isLocked");
            });
            JsonObject lost =
                    rig.get("/api/executions/" + first, Role.READ).is(200).json();
            assertThat(lost.getString("status")).isEqualTo("FAILED");
            assertThat(lost.getJsonObject("error").getString("code")).isEqualTo("WORKER_TIMEOUT");
            rig.post("/api/webhooks/invoice", Role.TRIGGER, "{}").is(200);
        } finally {
            rig.closeAll();
        }
    }

    @Test
    void aLockNoWorkerHasTakenTellsWhenItOpensAndOpens() {
        CompatRig rig = CompatRig.on(
                "memory:",
                WorkflowApi.DOCUMENT,
                List.of(CompatRig.job(
                        CompatApi.WORKFLOWS, Job.named("invoice").maxWait(Duration.ofSeconds(2)), "invoice")));
        try {
            rig.post("/api/webhooks/invoice", Role.TRIGGER, "{}").is(200);
            JsonObject lock = lock(rig);
            assertThat(lock.getBoolean("isLocked")).isTrue();
            assertThat(Duration.between(lock.getInstant("lockedSince"), lock.getInstant("expiresAt")))
                    .isEqualTo(Duration.ofSeconds(2));
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> rig.post("/api/webhooks/invoice", Role.TRIGGER, "{}")
                                    .status()
                            == 200);
        } finally {
            rig.closeAll();
        }
    }

    private static JsonObject lock(CompatRig rig) {
        return rig.get("/api/workflows/invoice/lock", Role.READ).is(200).json();
    }
}
