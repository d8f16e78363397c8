package io.interlock.server.compat.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.server.EngineRig.Answer;
import io.interlock.server.compat.FlowApi;
import io.interlock.server.launch.RealServer;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** The integration scenarios of "Phase Execution Lock Manager" and its table of granularity, at two instances on each store. */
@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@MethodSource("io.interlock.server.compat.scenario.ServedStore#here")
class FlowScenariosTest {

    private final Instances instances;
    private final Caller caller;

    FlowScenariosTest(ServedStore store) {
        this.instances = Instances.on(store);
        this.caller = Caller.of(Instances.on(store), FlowApi.DOCUMENT);
    }

    @Test
    void rapidResumeClicks() {
        List<Answer> clicks = caller.postAtOnce(5, "/flows/flow-123/resume", "{\"phase\": \"readiness\"}");
        assertThat(clicks)
                .extracting(click -> click.is(200).text("status"))
                .containsExactlyInAnyOrder(
                        "started", "already_running", "already_running", "already_running", "already_running");
        assertThat(clicks)
                .extracting(click -> click.text("run_id"))
                .containsOnly(clicks.get(0).text("run_id"));
        assertThat(caller.takeAtBoth("readiness")).as("one background task").hasSize(1);
        assertThat(caller.takeAtBoth("readiness")).isEmpty();
        await().untilAsserted(() -> assertThat(caller.log("flow/flow-123/readiness"))
                .filteredOn(line -> line.contains(" skipped "))
                .hasSize(4));
    }

    @Test
    @ResourceLock(Instances.SWEEPS)
    void timeoutRecovery() {
        String first;
        try (RealServer worker = instances.further()) {
            first = resume("flow-123", "crashing").text("run_id");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> run(first).getString("state").equals("RUNNING"));
            worker.signal("KILL");
            worker.exitCode();
        }
        await().atMost(Duration.ofSeconds(20)).until(() -> {
            caller.post("/api/v1/janitor/sweep", "").is(200);
            return run(first).getString("state").equals("FAILED");
        });
        assertThat(resume("flow-123", "crashing").text("status")).isEqualTo("started");
        await().untilAsserted(() -> assertThat(caller.log("flow/flow-123/crashing"))
                .filteredOn(line -> line.contains("settled by the janitor") && line.contains(first))
                .anyMatch(line -> line.contains("WARN") && line.contains("its lease ended before its work did"))
                .anyMatch(line -> line.contains("never gave it back")));
        assertThat(run(first).getJsonObject("error").getString("code")).isEqualTo("WORKER_TIMEOUT");
        assertThat(caller.get("/debug/locks/flow-123/crashing").is(200).text("run_id"))
                .isNotEqualTo(first);
    }

    @Test
    void sameFlowSamePhaseIsBlockedOthersAreAllowed() {
        assertThat(resume("flow-A", "readiness").text("status")).isEqualTo("started");
        assertThat(resume("flow-A", "readiness").text("status")).isEqualTo("already_running");
        assertThat(resume("flow-A", "architecture").text("status")).isEqualTo("started");
        assertThat(resume("flow-B", "readiness").text("status")).isEqualTo("started");
    }

    @Test
    void anExceptionReleasesTheLock() {
        resume("flow-C", "readiness");
        caller.take("readiness").fails("agent gave up");
        assertThat(caller.get("/debug/locks/flow-C/readiness").is(200).json().getBoolean("locked"))
                .isFalse();
        assertThat(resume("flow-C", "readiness").text("status")).isEqualTo("started");
    }

    private Answer resume(String flow, String phase) {
        return caller.post("/flows/" + flow + "/resume", "{\"phase\": \"" + phase + "\"}")
                .is(200);
    }

    private JsonObject run(String id) {
        return caller.get("/api/v1/runs/" + id).is(200).json();
    }
}
