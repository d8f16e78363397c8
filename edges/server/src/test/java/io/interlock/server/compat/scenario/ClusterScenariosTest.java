package io.interlock.server.compat.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.server.EngineRig.Answer;
import io.interlock.server.compat.ClusterApi;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The integration test of "Worker Concurrency Safety and Locking Strategy", at two instances on each store. */
@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@MethodSource("io.interlock.server.compat.scenario.ServedStore#here")
class ClusterScenariosTest {

    private final Caller caller;
    private String cluster = "";

    ClusterScenariosTest(ServedStore store) {
        this.caller = Caller.of(Instances.on(store), ClusterApi.DOCUMENT);
    }

    @BeforeEach
    void ready() {
        cluster = caller.post(
                        "/clusters", "{\"name\": \"prod1\", \"platform\": \"aws\", \"base_domain\": \"example.com\"}")
                .is(201)
                .text("id");
        caller.take("CREATE").succeeds();
        assertThat(status()).isEqualTo("READY");
    }

    @Test
    void lockAcquisitionConcurrent() {
        List<Answer> jobs = caller.postAtOnce(2, "/clusters/" + cluster + "/jobs", "{\"type\": \"DESTROY\"}");
        assertThat(jobs).allSatisfy(job -> job.is(202));
        List<Work> acquired = caller.takeAtBoth("DESTROY");
        assertThat(acquired).as("only one worker acquired the lock").hasSize(1);
        assertThat(status()).isEqualTo("DESTROYING");
        assertThat(caller.takeAtBoth("DESTROY")).isEmpty();
        acquired.get(0).succeeds();
        assertThat(status()).isEqualTo("DESTROYED");
        JsonObject second = jobs.stream()
                .map(job -> job.text("job_id"))
                .filter(id -> !id.equals(acquired.get(0).run()))
                .map(id -> caller.get("/jobs/" + id).is(200).json())
                .findFirst()
                .orElseThrow();
        assertThat(second.getString("status")).isEqualTo("FAILED");
        assertThat(second.getString("error_code")).isEqualTo("INVALID_STATE");
        assertThat(second.getInteger("attempt")).isZero();
    }

    @Test
    void destroyDuringTheDestroyOfTheJanitorIsRefused() {
        caller.post("/clusters/" + cluster + "/jobs", "{\"type\": \"JANITOR_DESTROY\"}")
                .is(202);
        Work janitor = caller.take("JANITOR_DESTROY");
        assertThat(status()).isEqualTo("DESTROYING");
        String second = caller.post("/clusters/" + cluster + "/jobs", "{\"type\": \"DESTROY\"}")
                .is(202)
                .text("job_id");
        assertThat(caller.takeAtBoth("DESTROY")).as("no second worker").isEmpty();
        janitor.succeeds();
        assertThat(status()).isEqualTo("DESTROYED");
        JsonObject refused = caller.get("/jobs/" + second).is(200).json();
        assertThat(refused.getString("status")).isEqualTo("FAILED");
        assertThat(refused.getString("error_code")).isEqualTo("INVALID_STATE");
        assertThat(refused.getInteger("attempt")).isZero();
    }

    @Test
    void createDuringDestroyIsRefused() {
        caller.post("/clusters/" + cluster + "/jobs", "{\"type\": \"DESTROY\"}").is(202);
        Work destroy = caller.take("DESTROY");
        JsonObject twin = caller.post(
                        "/clusters", "{\"name\": \"prod1\", \"platform\": \"aws\", \"base_domain\": \"example.com\"}")
                .is(409)
                .json()
                .getJsonObject("error");
        assertThat(twin.getString("code")).isEqualTo("CLUSTER_EXISTS");
        assertThat(twin.getString("state")).isEqualTo("DESTROYING");
        destroy.succeeds();
        caller.post("/clusters", "{\"name\": \"prod1\", \"platform\": \"aws\", \"base_domain\": \"example.com\"}")
                .is(201);
    }

    private String status() {
        return caller.get("/clusters/" + cluster).is(200).text("status");
    }
}
