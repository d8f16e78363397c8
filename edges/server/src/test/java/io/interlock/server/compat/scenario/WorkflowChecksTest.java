package io.interlock.server.compat.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.server.EngineRig.Answer;
import io.interlock.server.compat.WorkflowApi;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The six checks and the behaviour matrix of "Execution Locking & Concurrency Safety Layer", at two instances on each store. */
@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@MethodSource("io.interlock.server.compat.scenario.ServedStore#here")
class WorkflowChecksTest {

    private static final JsonObject FREE = new JsonObject()
            .put("isLocked", false)
            .putNull("executionId")
            .putNull("lockedSince")
            .putNull("expiresAt")
            .put("isStale", false);

    private final Caller caller;

    WorkflowChecksTest(ServedStore store) {
        this.caller = Caller.of(Instances.on(store), WorkflowApi.DOCUMENT);
    }

    @Test
    void check1LockAcquisitionBlocksConcurrentExecutions() {
        String id = start("stripe-payment");
        assertThat(trigger("stripe-payment").is(409).json()).isEqualTo(locked(id));
        caller.take("invoice");
        assertThat(trigger("stripe-payment").is(409).json()).isEqualTo(locked(id));
        assertThat(caller.runs("workflow/invoice"))
                .as("no record of what was refused")
                .hasSize(1);
    }

    @Test
    void check2LockReleaseOnSuccess() {
        String id = start("stripe-payment");
        caller.take("invoice").succeeds();
        assertThat(ended(id)).isEqualTo("SUCCESS");
        assertThat(lock("invoice")).isEqualTo(FREE);
        start("stripe-payment");
    }

    @Test
    void check3LockReleaseOnFailed() {
        String id = start("stripe-payment");
        caller.take("invoice").fails("mail server said no");
        assertThat(ended(id)).isEqualTo("FAILED");
        assertThat(execution(id).getJsonObject("error").getString("message")).contains("mail server said no");
        assertThat(lock("invoice")).isEqualTo(FREE);
        start("stripe-payment");
    }

    @Test
    void check4LockReleaseOnAborted() {
        String id = start("stripe-payment");
        Work work = caller.take("invoice");
        caller.post("/api/executions/" + id + "/abort", "{\"reason\": \"wrong month\"}")
                .is(202);
        assertThat(work.heartbeat().is(200).json().getBoolean("cancelRequested"))
                .isTrue();
        work.ends("ABORTED").is(200);
        assertThat(ended(id)).isEqualTo("ABORTED");
        assertThat(lock("invoice")).isEqualTo(FREE);
        start("stripe-payment");
    }

    @Test
    void check5ConcurrentWebhooksHandledSafely() {
        List<Answer> answers = caller.postAtOnce(20, "/api/webhooks/stripe-payment", "{}");
        List<Answer> started =
                answers.stream().filter(answer -> answer.status() == 200).toList();
        assertThat(started).hasSize(1);
        assertThat(answers)
                .filteredOn(answer -> answer.status() != 200)
                .hasSize(19)
                .allSatisfy(answer -> assertThat(answer.is(409).json())
                        .isEqualTo(locked(started.get(0).text("executionId"))));
        assertThat(caller.takeAtBoth("invoice")).hasSize(1);
    }

    @Test
    void check6NoOrphanedLocksRemain() {
        for (String outcome : List.of("SUCCEEDED", "FAILED", "ABORTED")) {
            start("stripe-payment");
            caller.take("invoice").ends(outcome).is(200);
        }
        trigger("stripe-payment").is(200);
        trigger("stripe-payment").is(409);
        caller.take("invoice").succeeds();
        assertThat(lock("invoice")).isEqualTo(FREE);
        assertThat(caller.get("/api/v1/locks?key=workflow/invoice").is(200).json().getJsonArray("items").stream()
                        .map(lock -> ((JsonObject) lock).getString("state")))
                .allMatch("FREE"::equals);
    }

    @Test
    void matrixExecutionStartsWithoutALockAcquires() {
        assertThat(lock("invoice")).isEqualTo(FREE);
        String id = start("stripe-payment");
        assertThat(caller.take("invoice").run()).isEqualTo(id);
        JsonObject lock = lock("invoice");
        assertThat(lock.getBoolean("isLocked")).isTrue();
        assertThat(lock.getString("executionId")).isEqualTo(id);
        assertThat(Duration.between(lock.getInstant("lockedSince"), lock.getInstant("expiresAt")))
                .as("one hour, unless set")
                .isEqualTo(Duration.ofHours(1));
        assertThat(execution(id).getString("status")).isEqualTo("RUNNING");
    }

    @Test
    void matrixConcurrentWebhookIsRejected() {
        String id = start("stripe-payment");
        caller.take("invoice");
        assertThat(execution(id).getString("status")).isEqualTo("RUNNING");
        assertThat(trigger("stripe-payment").is(409).json()).isEqualTo(locked(id));
    }

    @Test
    void matrixRetryAfterCrashCleansAndExecutes() {
        String id = start("brief");
        caller.take("brief");
        caller.delete("/api/workflows/brief/lock?reason=its+server+is+gone").is(200);
        assertThat(ended(id)).as("not running, but its lock is there").isEqualTo("ABORTED");
        await().atMost(Duration.ofSeconds(20)).until(() -> trigger("brief").status() == 200);
        assertThat(caller.take("brief").run()).isNotEqualTo(id);
    }

    @Test
    void matrixLockExpiredIsCleanedAndExecutes() {
        String id = start("brief");
        caller.take("brief");
        await().atMost(Duration.ofSeconds(20)).until(() -> trigger("brief").status() == 200);
        assertThat(ended(id)).isEqualTo("FAILED");
        assertThat(execution(id).getJsonObject("error").getString("code")).isEqualTo("WORKER_TIMEOUT");
    }

    @Test
    void matrixExecutionFinishesAndTheLockIsRemoved() {
        start("stripe-payment");
        Work work = caller.take("invoice");
        assertThat(lock("invoice").getBoolean("isLocked")).isTrue();
        work.succeeds();
        assertThat(lock("invoice")).isEqualTo(FREE);
    }

    @Test
    @ResourceLock(Instances.SWEEPS)
    void cleanupExpiredLocksCountsWhatItCleaned() {
        String id = start("brief");
        assertThat(cleaned()).as("nothing is over").isZero();
        caller.take("brief");
        await().atMost(Duration.ofSeconds(20)).until(() -> lock("brief").getBoolean("isStale"));
        assertThat(caller.ofAnotherTenant()
                        .get("/api/workflows/brief/lock")
                        .is(200)
                        .json())
                .isEqualTo(FREE);
        assertThat(cleaned()).isEqualTo(1);
        assertThat(lock("brief")).isEqualTo(FREE);
        assertThat(ended(id)).isEqualTo("FAILED");
        assertThat(cleaned()).isZero();
    }

    @Test
    void whoMeetsTheLockOfAnExecutionThatHasEndedHasLostARace() {
        String id = start("stripe-payment");
        caller.take("invoice");
        caller.delete("/api/workflows/invoice/lock?reason=stuck").is(200);
        assertThat(ended(id)).isEqualTo("ABORTED");
        assertThat(trigger("stripe-payment").is(409).json())
                .isEqualTo(new JsonObject()
                        .put("success", false)
                        .put("error", "Concurrent execution attempted")
                        .put("details", "Another concurrent request acquired the execution lock"));
    }

    @Test
    void queuedExecutionWithPriority() {
        String first = start("order");
        Work work = caller.take("shipping");
        String second = start("order");
        String urgent = start("complaint");
        assertThat(execution(second).getString("status")).isEqualTo("PENDING");
        work.succeeds();
        Work next = caller.take("shipping");
        assertThat(next.run()).as("before the one that came before it").isEqualTo(urgent);
        next.succeeds();
        assertThat(caller.take("shipping").run()).isEqualTo(second).isNotEqualTo(first);
    }

    private long cleaned() {
        return caller.post("/api/workflows/locks/cleanup", "").is(200).number("cleaned");
    }

    private Answer trigger(String trigger) {
        return caller.post("/api/webhooks/" + trigger, "{\"amount\": 7}");
    }

    private String start(String trigger) {
        return trigger(trigger).is(200).text("executionId");
    }

    private JsonObject execution(String id) {
        return caller.get("/api/executions/" + id).is(200).json();
    }

    private String ended(String id) {
        assertThat(execution(id).getString("finishedAt")).endsWith("Z");
        return execution(id).getString("status");
    }

    private JsonObject lock(String workflow) {
        return caller.get("/api/workflows/" + workflow + "/lock").is(200).json();
    }

    private static JsonObject locked(String id) {
        return new JsonObject()
                .put("success", false)
                .put("error", "Workflow currently executing")
                .put("details", "Only one execution can run at a time. Currently executing: " + id)
                .put("existingExecutionId", id);
    }
}
