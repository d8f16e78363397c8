package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.Actor;
import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.Job;
import io.interlock.engine.JobBuilder;
import io.interlock.engine.PermanentFailureException;
import io.interlock.run.RetryPlan;
import io.interlock.run.Transition;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.StoreTest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;

/** The clusters compatible API, as its document has it: states, jobs, names, every status. */
class ClustersTest extends StoreTest {

    private final HandWork work = new HandWork();
    private CompatRig rig;

    @BeforeParameterizedClassInvocation
    void open() {
        rig = CompatRig.on(
                store(),
                ClusterApi.DOCUMENT,
                List.of(
                        job("CREATE", Set.of("PENDING"), "CREATING", "READY"),
                        job("DESTROY", Set.of("READY", "FAILED"), "DESTROYING", "DESTROYED"),
                        job("scale-workers", Set.of("READY"), "SCALING", "READY"),
                        job("JANITOR_DESTROY", Set.of("READY"), "DESTROYING", "DESTROYED"),
                        CompatRig.job(
                                CompatApi.CLUSTERS,
                                Job.named("INSPECT")
                                        .onConflict(ConflictPolicy.REJECT)
                                        .handler(work)),
                        CompatRig.job(CompatApi.NONE, Job.named("OTHER").handler(work))));
    }

    private JobSettings job(String name, Set<String> from, String during, String success) {
        JobBuilder job = Job.named(name)
                .onConflict(ConflictPolicy.QUEUE)
                .retry(new RetryPlan(2, Duration.ZERO, 1, Duration.ZERO))
                .transition(new Transition("cluster", from, during, success, "FAILED"))
                .handler(work);
        return CompatRig.job(CompatApi.CLUSTERS, job);
    }

    @AfterParameterizedClassInvocation
    void close() {
        rig.closeAll();
    }

    @Test
    void aClusterGoesThroughItsStatesAndItsJobsTellHowFarTheyAre() {
        Answer created = create("life", Role.TRIGGER).is(201);
        String id = created.text("id");
        assertThat(created.header("Location")).isEqualTo("/clusters/" + id);
        assertThat(created.json())
                .isEqualTo(new JsonObject()
                        .put("id", id)
                        .put("name", "life")
                        .put("platform", "aws")
                        .put("base_domain", "example.com")
                        .put("status", "PENDING")
                        .putNull("expires_at")
                        .put("job_id", created.text("job_id")));
        String create = created.text("job_id");
        JsonObject parameters = new JsonObject(work.working(create).run().spec().parameters());
        assertThat(parameters.getString("cluster_id")).isEqualTo(id);
        assertThat(status(id)).isEqualTo("CREATING");
        assertThat(jobOf(create).getString("status")).isEqualTo("RUNNING");
        work.succeed(create);
        await().until(() -> status(id).equals("READY"));
        JsonObject done = jobOf(create);
        assertThat(done.getString("status")).isEqualTo("SUCCEEDED");
        assertThat(done.getString("type")).isEqualTo("CREATE");
        assertThat(done.getInteger("attempt")).isEqualTo(1);
        assertThat(done.getValue("error_code")).isNull();
        String scale = start(id, "{\"type\": \"SCALE_WORKERS\", \"parameters\": {\"workers\": 5}}")
                .is(202)
                .text("job_id");
        assertThat(new JsonObject(work.working(scale).run().spec().parameters()).getInteger("workers"))
                .isEqualTo(5);
        assertThat(status(id)).isEqualTo("SCALING");
        Answer destroy = start(id, "{\"type\": \"DESTROY\"}").is(202);
        assertThat(destroy.text("status")).isEqualTo("QUEUED");
        assertThat(destroy.number("position")).isEqualTo(1);
        assertThat(jobOf(destroy.text("job_id")).getInteger("position")).isEqualTo(1);
        work.succeed(scale);
        work.working(destroy.text("job_id"));
        assertThat(status(id)).isEqualTo("DESTROYING");
        work.succeed(destroy.text("job_id"));
        await().until(() -> status(id).equals("DESTROYED"));
    }

    @Test
    void anIdHasAtMost64CharactersAndMayBeChosen() {
        String name = "n".repeat(63);
        Answer made = rig.post(
                        "/clusters",
                        Role.TRIGGER,
                        "{\"name\": \"" + name + "\", \"platform\": \"aws\", \"base_domain\": \"example.com\"}")
                .is(201);
        assertThat(made.text("id")).startsWith("nnnn").hasSize(64);
        assertThat(rig.get("/clusters/" + made.text("id"), Role.READ).text("name"))
                .isEqualTo(name);
        String chosen = """
                {"id": "c-4711", "name": "chosen", "platform": "aws", "base_domain": "example.com"}""";
        Answer created = rig.post("/clusters", Role.TRIGGER, chosen).is(201);
        assertThat(created.text("id")).isEqualTo("c-4711");
        assertThat(new JsonObject(
                        work.working(created.text("job_id")).run().spec().parameters()))
                .isEqualTo(new JsonObject()
                        .put("cluster_id", "c-4711")
                        .put("name", "chosen")
                        .put("platform", "aws")
                        .put("base_domain", "example.com")
                        .put("type", "CREATE"));
        JsonObject taken = rig.post("/clusters", Role.TRIGGER, chosen.replace("chosen", "another"))
                .is(409)
                .json()
                .getJsonObject("error");
        assertThat(taken.getString("code")).isEqualTo("CLUSTER_EXISTS");
        assertThat(taken.getString("message")).contains("with the id c-4711");
        fails(400, "INVALID_REQUEST", rig.post("/clusters", Role.TRIGGER, chosen.replace("c-4711", "c/4711")));
        fails(400, "INVALID_REQUEST", rig.post("/clusters", Role.TRIGGER, chosen.replace("c-4711", "c".repeat(65))));
        work.succeed(created.text("job_id"));
    }

    @Test
    void toDestroyAClusterThatIsDestroyedSucceeds() {
        String id = ready("gone");
        String destroy = start(id, "{\"type\": \"DESTROY\"}").is(202).text("job_id");
        work.succeed(destroy);
        await().until(() -> status(id).equals("DESTROYED"));
        for (String type : List.of("DESTROY", "JANITOR_DESTROY")) {
            assertThat(start(id, "{\"type\": \"" + type + "\"}").is(200).json())
                    .isEqualTo(new JsonObject().put("job_id", destroy).put("status", "SUCCEEDED"));
        }
        assertThat(start(id, "{\"type\": \"SCALE_WORKERS\"}")
                        .is(409)
                        .json()
                        .getJsonObject("error")
                        .getString("code"))
                .isEqualTo("INVALID_STATE");
        assertThat(status(id)).isEqualTo("DESTROYED");
    }

    @Test
    void aClusterThatWasThereBeforeIsAdoptedByItsState() {
        LockKey key = LockKey.of(CompatRig.TENANT, "cluster/fleet-1");
        rig.engine.setFreeResource(key, "cluster", "READY", 0, Actor.of("ops"), "was there before");
        assertThat(rig.get("/clusters/fleet-1", Role.READ).is(200).json())
                .isEqualTo(new JsonObject()
                        .put("id", "fleet-1")
                        .put("name", "fleet-1")
                        .putNull("platform")
                        .putNull("base_domain")
                        .put("status", "READY")
                        .putNull("expires_at"));
        String destroy = start("fleet-1", "{\"type\": \"DESTROY\"}").is(202).text("job_id");
        assertThat(new JsonObject(work.working(destroy).run().spec().parameters()).getString("cluster_id"))
                .isEqualTo("fleet-1");
        work.succeed(destroy);
        await().until(() -> status("fleet-1").equals("DESTROYED"));
    }

    @Test
    void anActiveTwinIsRefusedAndTheNameIsFreeAgainAfterwards() {
        Answer first = create("twin", Role.TRIGGER).is(201);
        Answer second = create("twin", Role.TRIGGER).is(409);
        JsonObject error = second.json().getJsonObject("error");
        assertThat(error.getString("code")).isEqualTo("CLUSTER_EXISTS");
        assertThat(error.getString("cluster_id")).isEqualTo(first.text("id"));
        rig.post("/clusters", Role.TRIGGER, """
                {"name": "twin", "platform": "gcp", "base_domain": "example.com"}""").is(201);
        rig.post("/clusters", Role.TRIGGER, """
                {"name": "twin", "platform": "aws", "base_domain": "example.org"}""").is(201);
        rig.post("/clusters", rig.key("other", Role.TRIGGER), """
                {"name": "twin", "platform": "aws", "base_domain": "example.com"}""").is(201);
        work.succeed(first.text("job_id"));
        await().until(() -> status(first.text("id")).equals("READY"));
        create("twin", Role.TRIGGER).is(409);
        String destroy =
                start(first.text("id"), "{\"type\": \"DESTROY\"}").is(202).text("job_id");
        work.working(destroy);
        create("twin", Role.TRIGGER).is(409);
        work.succeed(destroy);
        await().until(() -> status(first.text("id")).equals("DESTROYED"));
        assertThat(create("twin", Role.TRIGGER).is(201).text("id")).isNotEqualTo(first.text("id"));
        assertThat(status(first.text("id"))).isEqualTo("DESTROYED");
    }

    @Test
    void ofManyWhoWantOneNameOneGetsIt() {
        List<Answer> answers =
                IntStream.range(0, 20).mapToObj(n -> rig.postLater("/clusters", Role.TRIGGER, """
                        {"name": "wanted", "platform": "aws", "base_domain": "example.com"}""")).toList().stream()
                        .map(answer -> answer.join())
                        .toList();
        assertThat(answers).extracting(Answer::status).containsOnly(201, 409);
        List<Answer> created =
                answers.stream().filter(answer -> answer.status() == 201).toList();
        assertThat(created).hasSize(1);
        assertThat(answers)
                .filteredOn(answer -> answer.status() == 409)
                .allSatisfy(answer -> assertThat(
                                answer.json().getJsonObject("error").getString("cluster_id"))
                        .isEqualTo(created.get(0).text("id")));
    }

    @Test
    void aJobInTheWrongStateIsRefusedWithTheStatesItMayStartFrom() {
        String id = ready("wrong");
        JsonObject error = start(id, "{\"type\": \"CREATE\"}").is(409).json().getJsonObject("error");
        assertThat(error.getString("code")).isEqualTo("INVALID_STATE");
        assertThat(error.getString("state")).isEqualTo("READY");
        assertThat(error.getJsonArray("allowed")).isEqualTo(new JsonArray().add("PENDING"));
        assertThat(error.getString("message")).contains("READY");
    }

    @Test
    void aJobThatDoesNotQueueIsRefusedWhileAnotherHasTheCluster() {
        Answer created = create("held", Role.TRIGGER).is(201);
        work.working(created.text("job_id"));
        JsonObject error = start(created.text("id"), "{\"type\": \"INSPECT\"}")
                .is(409)
                .json()
                .getJsonObject("error");
        assertThat(error.getString("code")).isEqualTo("LOCK_HELD_BY_OTHER_WORKER");
        assertThat(error.getString("job_id")).isEqualTo(created.text("job_id"));
        assertThat(error.getString("message"))
                .as("a key is written as it is")
                .startsWith(CompatRig.TENANT + ":cluster/held-");
        work.succeed(created.text("job_id"));
    }

    @Test
    void concurrentDestroyAttempts() {
        concurrentDestroys(ready("three"), 3);
    }

    private void concurrentDestroys(String id, int many) {
        List<Answer> answers = IntStream.range(0, many)
                .mapToObj(n -> rig.postLater("/clusters/" + id + "/jobs", Role.TRIGGER, "{\"type\": \"DESTROY\"}"))
                .toList()
                .stream()
                .map(answer -> answer.join())
                .toList();
        List<String> jobs = answers.stream()
                .filter(answer -> answer.status() == 202)
                .map(answer -> answer.text("job_id"))
                .toList();
        assertThat(jobs).isNotEmpty();
        jobs.forEach(work::succeed);
        await().until(() -> status(id).equals("DESTROYED"));
        await().until(() -> jobs.stream().allMatch(job -> jobOf(job).getValue("ended_at") != null));
        assertThat(jobs)
                .filteredOn(job -> jobOf(job).getString("status").equals("SUCCEEDED"))
                .hasSize(1);
        assertThat(jobs)
                .filteredOn(job -> jobOf(job).getString("status").equals("FAILED"))
                .allSatisfy(job -> {
                    assertThat(jobOf(job).getString("error_code")).isEqualTo("INVALID_STATE");
                    assertThat(jobOf(job).getInteger("attempt")).isZero();
                });
    }

    @Test
    void aJobWhoseAttemptsAreUsedUpIsADeadLetterAndTheClusterHasFailed() {
        Answer created = create("dead", Role.TRIGGER).is(201);
        String job = created.text("job_id");
        work.fail(job, new IllegalStateException("quota service away"));
        await().until(() -> status(created.text("id")).equals("FAILED"));
        JsonObject dead = jobOf(job);
        assertThat(dead.getString("status")).isEqualTo("FAILED");
        assertThat(dead.getInteger("attempt")).isEqualTo(2);
        assertThat(dead.getString("error_message")).contains("quota service away");
        assertThat(deadJobs()).contains(job);
        create("dead", Role.TRIGGER).is(201);
    }

    @Test
    void aPermanentFailureIsNotTriedAgain() {
        Answer created = create("permanent", Role.TRIGGER).is(201);
        work.fail(created.text("job_id"), new PermanentFailureException("INVALID_CREDENTIALS", "expired"));
        await().until(() -> status(created.text("id")).equals("FAILED"));
        assertThat(jobOf(created.text("job_id")).getInteger("attempt")).isEqualTo(1);
        assertThat(jobOf(created.text("job_id")).getString("error_code")).isEqualTo("INVALID_CREDENTIALS");
    }

    @Test
    void aLifetimeHasItsEnd() {
        Answer created = rig.post("/clusters", Role.TRIGGER, """
                {"name": "mortal", "platform": "aws", "base_domain": "example.com", "ttl": "8h"}""").is(201);
        Instant end = Instant.parse(created.text("expires_at"));
        assertThat(end)
                .isBetween(
                        rig.environment.clock().instant().plus(Duration.ofHours(7)),
                        rig.environment.clock().instant().plus(Duration.ofHours(9)));
        assertThat(rig.get("/clusters/" + created.text("id"), Role.READ).text("expires_at"))
                .isEqualTo(created.text("expires_at"));
    }

    @Test
    void aClusterWhoseFirstJobIsRefusedLeavesItsName() {
        JobBuilder job = Job.named("CREATE")
                .onConflict(ConflictPolicy.REJECT)
                .transition(new Transition("cluster", Set.of("PENDING"), "CREATING", "READY", "FAILED"));
        CompatRig strict =
                CompatRig.on("memory:", ClusterApi.DOCUMENT, List.of(CompatRig.job(CompatApi.CLUSTERS, job)));
        try {
            String body = "{\"name\": \"refused\", \"platform\": \"aws\", \"base_domain\": \"example.com\"}";
            strict.engine.pause(CompatRig.TENANT, "cluster/refused*", "ops", "quota", null);
            fails(409, "KEY_PAUSED", strict.post("/clusters", Role.TRIGGER, body));
            strict.engine.resume(CompatRig.TENANT, "cluster/refused*", "ops", "done");
            strict.post("/clusters", Role.TRIGGER, body).is(201);
            fails(400, "INVALID_REQUEST", strict.post("/clusters", Role.TRIGGER, """
                    {"name": "mortal", "platform": "aws", "base_domain": "example.com", "ttl": "8h"}"""));
        } finally {
            strict.closeAll();
        }
    }

    @Test
    void badInputIsToldInTheShapeOfTheDoor() {
        fails(400, "INVALID_REQUEST", rig.post("/clusters", Role.TRIGGER, "{}"));
        fails(400, "INVALID_REQUEST", rig.post("/clusters", Role.TRIGGER, "{"));
        fails(400, "INVALID_REQUEST", rig.post("/clusters", Role.TRIGGER, ""));
        fails(400, "INVALID_REQUEST", rig.post("/clusters", Role.TRIGGER, """
                {"name": "Prod.1", "platform": "aws", "base_domain": "example.com"}"""));
        fails(400, "INVALID_REQUEST", rig.post("/clusters", Role.TRIGGER, """
                {"name": "a", "platform": "aws", "base_domain": "example.com", "ttl": "soon"}"""));
        fails(400, "INVALID_REQUEST", rig.post("/clusters", Role.TRIGGER, """
                {"name": "a", "platform": "aws", "base_domain": "example.com", "ttl": "0s"}"""));
        fails(
                413,
                "BODY_TOO_LARGE",
                rig.post("/clusters", Role.TRIGGER, "{\"name\": \"" + "x".repeat(300_000) + "\"}"));
        fails(404, "NOT_FOUND", rig.get("/clusters/nowhere", Role.READ));
        fails(404, "NOT_FOUND", rig.get("/clusters/a-0123456789", Role.READ));
        fails(404, "NOT_FOUND", start("a-0123456789", "{\"type\": \"DESTROY\"}"));
        String id = ready("strict");
        fails(404, "NOT_FOUND", start(id, "{\"type\": \"EXPLODE\"}"));
        fails(404, "NOT_FOUND", start(id, "{\"type\": \"OTHER\"}"));
        fails(400, "INVALID_REQUEST", start(id, "{\"type\": 7}"));
        fails(400, "INVALID_REQUEST", start(id, "{\"type\": \"DESTROY\", \"parameters\": []}"));
        fails(400, "INVALID_REQUEST", start(id, "{\"type\": \"DESTROY\", \"parameters\": {\"cluster_id\": \"x\"}}"));
        fails(404, "NOT_FOUND", rig.get("/jobs/nowhere", Role.READ));
        fails(404, "NOT_FOUND", rig.get("/jobs/00000000-0000-7000-8000-000000000000", Role.READ));
        fails(400, "INVALID_REQUEST", rig.get("/jobs/dead-letters?colour=red", Role.READ));
        fails(405, "METHOD_NOT_ALLOWED", rig.delete("/clusters/" + id, Role.OPERATOR));
    }

    @Test
    void eachRouteHasItsRoleAndTenantsAreApart() {
        fails(401, "UNAUTHENTICATED", rig.post("/clusters", (String) null, "{}"));
        fails(403, "FORBIDDEN", create("roles", Role.READ));
        Answer theirs =
                rig.post("/clusters", rig.key("other", Role.TRIGGER), """
                {"name": "theirs", "platform": "aws", "base_domain": "example.com"}""").is(201);
        fails(404, "NOT_FOUND", rig.get("/clusters/" + theirs.text("id"), Role.READ));
        fails(404, "NOT_FOUND", rig.get("/jobs/" + theirs.text("job_id"), Role.READ));
        fails(404, "NOT_FOUND", start(theirs.text("id"), "{\"type\": \"DESTROY\"}"));
    }

    private static void fails(int status, String code, Answer answer) {
        answer.is(status);
        JsonObject error = answer.json().getJsonObject("error");
        assertThat(error.getString("code")).isEqualTo(code);
        assertThat(error.getString("message")).isNotBlank();
    }

    private Answer create(String name, Role role) {
        return rig.post(
                "/clusters",
                role,
                "{\"name\": \"" + name + "\", \"platform\": \"aws\", \"base_domain\": \"example.com\"}");
    }

    private String ready(String name) {
        Answer created = create(name, Role.TRIGGER).is(201);
        work.succeed(created.text("job_id"));
        await().until(() -> status(created.text("id")).equals("READY"));
        return created.text("id");
    }

    private Answer start(String id, String body) {
        return rig.post("/clusters/" + id + "/jobs", Role.TRIGGER, body);
    }

    private String status(String id) {
        return rig.get("/clusters/" + id, Role.READ).is(200).text("status");
    }

    private JsonObject jobOf(String id) {
        return rig.get("/jobs/" + id, Role.READ).is(200).json();
    }

    private List<String> deadJobs() {
        return rig.get("/jobs/dead-letters", Role.READ).is(200).json().getJsonArray("items").stream()
                .map(item -> ((JsonObject) item).getString("job_id"))
                .toList();
    }
}
