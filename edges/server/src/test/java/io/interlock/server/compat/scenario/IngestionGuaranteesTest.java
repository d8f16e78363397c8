package io.interlock.server.compat.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.server.EngineRig.Answer;
import io.interlock.server.compat.IngestionApi;
import io.interlock.server.launch.RealServer;
import io.vertx.core.json.JsonObject;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The eight guarantees of "Ingestion Concurrency and Locking" as far as the compatible API gives them, at two instances on each store. The
 * ingestion example shows what they mean for the rows of an event.
 */
@ParameterizedClass
@Execution(ExecutionMode.CONCURRENT)
@MethodSource("io.interlock.server.compat.scenario.ServedStore#here")
class IngestionGuaranteesTest {

    private final Instances instances;
    private final Caller caller;

    IngestionGuaranteesTest(ServedStore store) {
        this.instances = Instances.on(store);
        this.caller = Caller.of(Instances.on(store), IngestionApi.DOCUMENT);
    }

    @Test
    void guarantee1OnlyOneIngestionPerEventAtAnyTime() {
        List<Answer> answers = caller.postAtOnce(10, "/api/v1/events/42/ingest", "");
        assertThat(answers).filteredOn(answer -> answer.status() == 202).hasSize(1);
        assertThat(answers).filteredOn(answer -> answer.status() == 409).hasSize(9);
        ingest("43").is(202);
        assertThat(caller.take("ingest").run())
                .as("events beside each other")
                .isNotEqualTo(caller.take("ingest").run());
        assertThat(caller.takeAtBoth("ingest")).isEmpty();
    }

    @Test
    @ResourceLock(Instances.SWEEPS)
    void guarantee2LocksPersistAcrossCrashes() {
        Work work;
        try (RealServer instance = instances.further("--no-worker")) {
            caller.postTo(instance, "/api/v1/events/42/ingest", "").is(202);
            work = caller.takeAt(instance, "ingest");
            instance.signal("KILL");
            instance.exitCode();
        }
        assertThat(state("42").getBoolean("running"))
                .as("while its worker lives")
                .isTrue();
        assertThat(state("42").getString("run_id")).isEqualTo(work.run());
        assertThat(code(ingest("42").is(409))).isEqualTo("INGESTION_IN_PROGRESS");
        work.heartbeat().is(200);
        work.succeeds();
        assertThat(state("42").getString("ingest_depth")).isEqualTo("laps_full");
        aWorkerDies("43");
    }

    /** The run counts as running until its lease has ended and a caller asks for the event. */
    private void aWorkerDies(String event) {
        String run = caller.post(
                        "/api/v1/runs",
                        new JsonObject()
                                .put("job", "ingest")
                                .put("key", "event/" + event)
                                .put("lease", "2s")
                                .encode())
                .is(201)
                .text("id");
        caller.take("ingest").reports("races", 3, 20);
        assertThat(code(ingest(event).is(409))).isEqualTo("INGESTION_IN_PROGRESS");
        await().until(() -> caller.get("/api/v1/locks?key=event/" + event)
                .is(200)
                .json()
                .getJsonArray("items")
                .getJsonObject(0)
                .getString("state")
                .equals("OVERDUE"));
        JsonObject left = state(event);
        assertThat(left.getBoolean("running")).isTrue();
        assertThat(left.getString("run_id")).isEqualTo(run);
        assertThat(left.getString("stage")).isEqualTo("races");
        assertThat(left.getString("ingest_depth")).isEqualTo("none");
        assertThat(ingest(event).is(202).text("run_id")).isNotEqualTo(run);
        JsonObject lost = caller.get("/api/v1/runs/" + run).is(200).json();
        assertThat(lost.getString("state")).isEqualTo("FAILED");
        assertThat(lost.getJsonObject("error").getString("code")).isEqualTo("WORKER_TIMEOUT");
        assertThat(state(event).getString("run_id")).isNotEqualTo(run);
    }

    @Test
    void guarantee3IdempotentIngestionResults() {
        String source = "{\"source_event_id\": \"486677\", \"track_id\": \"17\"}";
        Answer first = caller.post("/api/v1/events/ingest", source).is(202);
        String event = first.text("event_id");
        Work work = caller.take("ingest");
        JsonObject told = work.parameters();
        work.succeeds();
        Answer second = caller.post("/api/v1/events/ingest", source).is(202);
        assertThat(second.text("event_id")).isEqualTo(event);
        Work again = caller.take("ingest");
        assertThat(again.parameters()).as("the same input").isEqualTo(told);
        assertThat(state(event).getString("ingest_depth")).as("never backwards").isEqualTo("laps_full");
        again.succeeds();
        assertThat(state(event).getString("ingest_depth")).isEqualTo("laps_full");
        assertThat(again.succeeds().text("state")).as("said twice").isEqualTo("SUCCEEDED");
    }

    @Test
    void guarantee4LogicalCommitsMinimiseTheTimeOfTheLock() {
        ingest("42").is(202);
        Work work = caller.take("ingest");
        for (String stage : List.of("entries", "races", "drivers")) {
            work.reports(stage, 1, 3);
            await().untilAsserted(
                            () -> assertThat(state("42").getString("stage")).isEqualTo(stage));
            assertThat(state("42").getString("ingest_depth")).as("at " + stage).isEqualTo("none");
        }
        work.succeeds();
        ingest("42").is(202);
    }

    @Test
    void guarantee5DeterministicAndConflictFreeWrites() {
        ingest("42").is(202);
        Work late = caller.take("ingest");
        JsonObject lock = caller.get("/api/v1/locks?key=event/42")
                .is(200)
                .json()
                .getJsonArray("items")
                .getJsonObject(0);
        caller.post(
                        "/api/v1/locks/evict",
                        new JsonObject()
                                .put("key", "event/42")
                                .put("token", lock.getLong("token"))
                                .put("reason", "does not answer")
                                .encode())
                .is(200);
        late.ends("SUCCEEDED").isProblem(410, "lease-lost");
        assertThat(state("42").getString("ingest_depth"))
                .as("a late writer changes nothing")
                .isEqualTo("none");
        await().until(() -> ingest("42").status() == 202);
        caller.take("ingest").succeeds();
        assertThat(state("42").getString("ingest_depth")).isEqualTo("laps_full");
    }

    @Test
    void guarantee6NonBlockingReadsDuringIngestion() {
        String run = ingest("42").is(202).text("run_id");
        Work work = caller.take("ingest");
        for (int read = 0; read < 10; read++) {
            JsonObject seen = state("42");
            assertThat(seen.getBoolean("running")).isTrue();
            assertThat(seen.getString("run_id")).isEqualTo(run);
            assertThat(seen.getString("ingest_depth")).as("not yet complete").isEqualTo("none");
        }
        work.heartbeat().is(200);
        work.succeeds();
    }

    @Test
    void guarantee7NoRaceConditionsInConnectorFetches() {
        List<Answer> answers = caller.postAtOnce(
                10, "/api/v1/events/ingest", "{\"source_event_id\": \"486677\", \"track_id\": \"17\"}");
        List<Answer> started =
                answers.stream().filter(answer -> answer.status() == 202).toList();
        assertThat(started).as("one event, one fetcher").hasSize(1);
        assertThat(answers)
                .filteredOn(answer -> answer.status() != 202)
                .allSatisfy(answer -> assertThat(code(answer.is(409))).isEqualTo("INGESTION_IN_PROGRESS"));
        assertThat(caller.takeAtBoth("ingest")).hasSize(1);
    }

    @Test
    void guarantee8ClearFailureModesWhenConcurrencyIsViolated() {
        String run = ingest("42").is(202).text("run_id");
        Work work = caller.take("ingest");
        work.reports("races", 3, 20);
        await().untilAsserted(() -> {
            JsonObject error = ingest("42").is(409).json().getJsonObject("error");
            assertThat(error.getString("code")).isEqualTo("INGESTION_IN_PROGRESS");
            assertThat(error.getString("message")).contains("Ingestion of event 42 is already running, at stage races");
            assertThat(error.getJsonObject("details").getString("run_id")).isEqualTo(run);
            assertThat(error.getJsonObject("details").getString("stage")).isEqualTo("races");
            assertThat(error.getJsonObject("details").getString("since")).endsWith("Z");
        });
        work.fails("page is gone");
        JsonObject failed = state("42");
        assertThat(failed.getBoolean("running")).isFalse();
        assertThat(failed.getJsonObject("error").getString("message")).contains("page is gone");
        ingest("42").is(202);
    }

    private Answer ingest(String event) {
        return caller.post("/api/v1/events/" + event + "/ingest", "");
    }

    private JsonObject state(String event) {
        return caller.get("/api/v1/events/" + event + "/ingestion").is(200).json();
    }

    private static String code(Answer answer) {
        return answer.json().getJsonObject("error").getString("code");
    }
}
