package io.interlock.server.compat.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.server.EngineRig.Answer;
import io.interlock.server.compat.PipelineApi;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The five scenarios of "Pipeline Concurrency Control", and the three limitations it names, at two instances on each store. */
@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@EnumSource(ServedStore.class)
class PipelineScenariosTest {

    private static final String EXPORT = "gcp_billing_export";

    private final Instances instances;
    private final Caller caller;

    PipelineScenariosTest(ServedStore store) {
        this.instances = Instances.on(store);
        this.caller = Caller.of(Instances.on(store), PipelineApi.DOCUMENT);
    }

    @Test
    void scenario1DuplicateRequestPrevention() {
        Answer first = run(EXPORT);
        String id = first.text("pipeline_logging_id");
        assertThat(first.json())
                .isEqualTo(answer(id, "PENDING", "Pipeline gcp_billing_export triggered successfully (async mode)"));
        assertThat(run(EXPORT).json())
                .as("at the other instance, before a worker has claimed it")
                .isEqualTo(answer(
                        id, "RUNNING", "Pipeline gcp_billing_export already running - returning existing execution"));
        Work work = caller.take(EXPORT);
        assertThat(run(EXPORT).text("pipeline_logging_id")).isEqualTo(id);
        assertThat(caller.takeAtBoth(EXPORT)).as("no duplicate job").isEmpty();
        work.succeeds();
    }

    @Test
    void scenario2LockReleaseOnCompletion() {
        String id = run(EXPORT).text("pipeline_logging_id");
        Work work = caller.take(EXPORT);
        assertThat(status(id)).isEqualTo("RUNNING");
        work.succeeds();
        assertThat(status(id)).isEqualTo("COMPLETE");
        Answer next = run(EXPORT);
        assertThat(next.text("status")).isEqualTo("PENDING");
        assertThat(next.text("pipeline_logging_id")).isNotEqualTo(id);
    }

    @Test
    void scenario3LockReleaseOnFailure() {
        String id = run(EXPORT).text("pipeline_logging_id");
        caller.take(EXPORT).fails("no such table");
        JsonObject failed = caller.get("/pipelines/runs/" + id).is(200).json();
        assertThat(failed.getString("status")).isEqualTo("FAILED");
        assertThat(failed.getJsonObject("error").getString("message")).contains("no such table");
        assertThat(locks()).isEmpty();
        assertThat(run(EXPORT).text("status")).isEqualTo("PENDING");
    }

    @Test
    void scenario4LockExpiration() {
        String id = run("expiring_export").text("pipeline_logging_id");
        assertThat(run("expiring_export").text("pipeline_logging_id")).isEqualTo(id);
        caller.take("expiring_export");
        await().atMost(Duration.ofSeconds(20))
                .until(() -> run("expiring_export").text("status").equals("PENDING"));
        assertThat(status(id)).isEqualTo("FAILED");
        assertThat(caller.take("expiring_export").run()).isNotEqualTo(id);
    }

    @Test
    void scenario5MultiTenantIsolation() {
        Caller other = caller.ofAnotherTenant();
        String ours = run(EXPORT).text("pipeline_logging_id");
        Answer theirs = other.post("/pipelines/run/" + EXPORT, "").is(200);
        assertThat(theirs.text("status")).isEqualTo("PENDING");
        assertThat(theirs.text("tenant_id")).isEqualTo(other.tenant());
        Work ourWork = caller.take(EXPORT);
        Work theirWork = other.take(EXPORT);
        assertThat(ourWork.run()).isEqualTo(ours);
        assertThat(theirWork.run()).isEqualTo(theirs.text("pipeline_logging_id"));
        assertThat(status(ours)).as("both at once").isEqualTo("RUNNING");
        caller.get("/pipelines/runs/" + theirWork.run()).isProblem(404, "not-found");
        ourWork.succeeds();
        theirWork.succeeds();
    }

    @Test
    void limitation1InstancesKnowOfEachOther() {
        List<Answer> answers = caller.postAtOnce(20, "/pipelines/run/" + EXPORT, "");
        assertThat(answers)
                .filteredOn(answer -> answer.is(200).text("status").equals("PENDING"))
                .hasSize(1);
        assertThat(answers)
                .extracting(answer -> answer.text("pipeline_logging_id"))
                .containsOnly(answers.get(0).text("pipeline_logging_id"));
        assertThat(caller.takeAtBoth(EXPORT)).hasSize(1);
    }

    @Test
    void limitation2And3LocksOutliveTheProcessThatTookThem() {
        String id;
        Work work;
        try (var instance = instances.further("--no-worker")) {
            id = caller.postTo(instance, "/pipelines/run/" + EXPORT, "").is(200).text("pipeline_logging_id");
            work = caller.takeAt(instance, EXPORT);
            instance.signal("KILL");
            instance.exitCode();
        }
        Answer second = run(EXPORT);
        assertThat(second.text("status")).isEqualTo("RUNNING");
        assertThat(second.text("pipeline_logging_id")).isEqualTo(id);
        work.succeeds();
        assertThat(status(id)).isEqualTo("COMPLETE");
    }

    private JsonObject answer(String id, String status, String message) {
        return new JsonObject()
                .put("pipeline_logging_id", id)
                .put("pipeline_id", EXPORT)
                .put("tenant_id", caller.tenant())
                .put("status", status)
                .put("message", message);
    }

    private Answer run(String pipeline) {
        return caller.post("/pipelines/run/" + pipeline, "").is(200);
    }

    private String status(String id) {
        return caller.get("/pipelines/runs/" + id).is(200).text("status");
    }

    private List<Object> locks() {
        return caller.get("/pipelines/locks").is(200).json().getJsonArray("locks").stream()
                .toList();
    }
}
