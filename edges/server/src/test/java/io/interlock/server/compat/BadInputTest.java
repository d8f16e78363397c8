package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.interlock.ConflictPolicy;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.config.JobSettings;
import io.interlock.engine.Job;
import io.interlock.run.Transition;
import io.interlock.server.EngineRig.Answer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Walks the documents of all compatible APIs: whatever may be wrong about a request is told in the compatible API's own shape, without a trace of the inside. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadInputTest {

    private static final String UNKNOWN = "00000000-0000-7000-8000-000000000000";
    private static final int OVERSIZE = 300_000;

    private CompatRig rig;
    private Map<String, List<Case>> cases;

    /** What a compatible API refuses though it looks well: unknown things, and things in the wrong state. */
    private record Case(int status, String path, String body) {

        static Case of(int status, String path) {
            return new Case(status, path, "");
        }
    }

    @BeforeAll
    void open() {
        Transition create = new Transition("cluster", Set.of("PENDING"), "CREATING", "READY", "FAILED");
        rig = CompatRig.on(
                "memory:",
                PipelineApi.DOCUMENT,
                List.of(
                        job(CompatApi.PIPELINES, "export"),
                        job(CompatApi.FLOWS, "readiness"),
                        job(CompatApi.INGESTION, "ingest"),
                        job(CompatApi.WORKFLOWS, "invoice"),
                        CompatRig.job(
                                CompatApi.CLUSTERS,
                                Job.named("CREATE")
                                        .onConflict(ConflictPolicy.REJECT)
                                        .transition(create))));
        rig.engine.pause(CompatRig.TENANT, "flow/paused/*", "ops", "upgrade", null);
        String pipeline = started("/pipelines/run/export", "", "pipeline_logging_id");
        String over = started("/api/webhooks/invoice", "", "executionId");
        rig.post("/api/executions/" + over + "/abort", Role.TRIGGER, "").is(202);
        started("/api/v1/events/busy/ingest", "", "run_id");
        String cluster =
                started("/clusters", "{\"name\": \"a\", \"platform\": \"b\", \"base_domain\": \"example.com\"}", "id");
        cases = Map.ofEntries(
                Map.entry(
                        "runPipeline",
                        List.of(Case.of(404, "/pipelines/run/nowhere"), Case.of(404, "/pipelines/run/readiness"))),
                Map.entry("getPipelineRun", ids("/pipelines/runs/", "", over)),
                Map.entry("listPipelineLocks", List.of(Case.of(400, "/pipelines/locks?cursor=1"))),
                Map.entry("releasePipelineLock", releases("/pipelines/locks/nowhere")),
                Map.entry(
                        "resumeFlow",
                        List.of(
                                new Case(404, "/flows/f/resume", "{\"phase\": \"nowhere\"}"),
                                new Case(404, "/flows/f/resume", "{\"phase\": \"export\"}"),
                                new Case(409, "/flows/paused/resume", "{\"phase\": \"readiness\"}"))),
                Map.entry("getPhaseLock", List.of(Case.of(404, "/debug/locks/f/nowhere"))),
                Map.entry("releasePhaseLock", releases("/debug/locks/f/readiness")),
                Map.entry(
                        "ingestEvent",
                        List.of(
                                Case.of(409, "/api/v1/events/busy/ingest"),
                                Case.of(400, "/api/v1/events/x/ingest?wait=soon"))),
                Map.entry(
                        "ingestSourceEvent",
                        List.of(new Case(
                                400,
                                "/api/v1/events/ingest?wait=-1s",
                                "{\"source_event_id\": \"1\", \"track_id\": \"1\"}"))),
                Map.entry("getIngestion", List.of(Case.of(400, "/api/v1/events/x/ingestion?wait=1s"))),
                Map.entry(
                        "triggerWorkflow",
                        List.of(Case.of(404, "/api/webhooks/nowhere"), Case.of(404, "/api/webhooks/export"))),
                Map.entry(
                        "getWorkflowLock",
                        List.of(
                                Case.of(404, "/api/workflows/nowhere/lock"),
                                Case.of(404, "/api/workflows/export/lock"))),
                Map.entry("releaseWorkflowLock", releases("/api/workflows/invoice/lock")),
                Map.entry(
                        "cleanWorkflowLocks",
                        List.of(new Case(400, "/api/workflows/locks/cleanup", "{\"all\": true}"))),
                Map.entry("getExecution", ids("/api/executions/", "", pipeline)),
                Map.entry(
                        "abortExecution",
                        Stream.concat(
                                        ids("/api/executions/", "/abort", pipeline).stream(),
                                        Stream.of(Case.of(409, "/api/executions/" + over + "/abort")))
                                .toList()),
                Map.entry(
                        "createCluster",
                        List.of(
                                new Case(
                                        409,
                                        "/clusters",
                                        "{\"name\": \"a\", \"platform\": \"b\", \"base_domain\": \"example.com\"}"),
                                new Case(
                                        400,
                                        "/clusters",
                                        "{\"name\": \"A.b\", \"platform\": \"b\", \"base_domain\": \"example.com\"}"))),
                Map.entry("getCluster", ids("/clusters/", "", pipeline)),
                Map.entry(
                        "startClusterJob",
                        List.of(
                                new Case(404, "/clusters/nowhere/jobs", "{\"type\": \"CREATE\"}"),
                                new Case(404, "/clusters/" + cluster + "/jobs", "{\"type\": \"EXPLODE\"}"),
                                new Case(404, "/clusters/" + cluster + "/jobs", "{\"type\": \"export\"}"),
                                new Case(409, "/clusters/" + cluster + "/jobs", "{\"type\": \"CREATE\"}"))),
                Map.entry("listDeadClusterJobs", List.of(Case.of(400, "/jobs/dead-letters?cursor=1"))),
                Map.entry("getClusterJob", ids("/jobs/", "", pipeline)));
    }

    @AfterAll
    void close() {
        rig.closeAll();
    }

    @Test
    void everyRouteHasItsCases() {
        assertThat(CompatRoute.all().map(CompatRoute::id)).containsExactlyInAnyOrderElementsOf(cases.keySet());
    }

    @TestFactory
    Stream<DynamicTest> unknownThingsAndWrongStates() {
        return CompatRoute.all()
                .flatMap(route -> cases.getOrDefault(route.id(), List.of()).stream()
                        .map(bad -> dynamicTest(
                                route.method() + " " + bad.path() + " " + bad.body(),
                                () -> route.told(bad.status(), ask(route, bad.path(), bad.body())))));
    }

    @ParameterizedTest
    @MethodSource("routes")
    void wrongMethodsAndStrangers(CompatRoute route) {
        String path = route.pathWith("", "");
        Answer other = rig.send(rig.request(path, rig.key(Role.ADMIN))
                .method("PATCH", BodyPublishers.noBody())
                .build());
        route.told(405, other);
        assertThat(other.header("Allow")).contains(route.method());
        route.told(
                401,
                rig.send(rig.request(path, null)
                        .method(route.method(), BodyPublishers.noBody())
                        .build()));
        route.told(401, rig.send(bare(route, path, "ilk_wrong")));
        if (!route.operation().getString("x-role").equals("read")) {
            route.told(403, rig.send(bare(route, path, rig.key(Role.READ))));
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void wrongParameters(CompatRoute route) {
        for (JsonObject parameter : route.parameters("path")) {
            String name = parameter.getString("name");
            int most = parameter.getJsonObject("schema").getInteger("maxLength");
            route.told(400, ask(route, route.pathWith(name, "x".repeat(most + 1)), ""));
            for (String strange : new String[] {"a%2Fb", "a%00b", "..%2f..%2fetc", "%F0%9F%94%92", "%27%3B--"}) {
                Answer answer = ask(route, route.pathWith(name, strange), "");
                assertThat(answer.status()).as("%s %s", route, strange).isIn(200, 202, 400, 404);
                if (answer.status() >= 400) {
                    route.told(answer.status(), answer);
                }
            }
        }
        String path = route.pathWith("", "");
        route.told(400, ask(route, path + (path.contains("?") ? "&" : "?") + "colour=red", ""));
        for (JsonObject parameter : route.parameters("query")) {
            String name = parameter.getString("name");
            if (parameter.getBoolean("required", false)) {
                route.told(400, ask(route, path.substring(0, path.indexOf('?')), ""));
            }
            if (parameter.getJsonObject("schema").getString("type").equals("integer")) {
                for (String wrong : new String[] {"zero", "0", "1.5", "99999999999999999999"}) {
                    route.told(400, ask(route, path + "&" + name + "=" + wrong, ""));
                }
            } else {
                route.told(400, ask(route, path.replaceAll("\\?.*", "") + "?" + name + "=" + "x".repeat(501), ""));
            }
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void wrongBodies(CompatRoute route) {
        String path = route.pathWith("", "");
        if (route.body().isEmpty()) {
            return;
        }
        JsonObject schema = route.body().get();
        for (String wrong : new String[] {"{", "[]", "7", "\"x\"", "{\"a\":1}}", "{\"a\":" + "[".repeat(500)}) {
            route.told(400, ask(route, path, wrong));
        }
        route.told(413, ask(route, path, "{\"x\": \"" + "x".repeat(OVERSIZE) + "\"}"));
        route.told(
                415,
                rig.send(rig.request(path, rig.key(Role.ADMIN))
                        .header("Content-Type", route.takesAnyType() ? "application/json" : "text/plain")
                        .header("Content-Encoding", "deflate")
                        .method(route.method(), BodyPublishers.ofString("{}"))
                        .build()));
        for (Object needed : schema.getJsonArray("required", new JsonArray())) {
            JsonObject without = new JsonObject();
            schema.getJsonObject("properties").forEach(property -> without.put(property.getKey(), "x"));
            without.remove(needed.toString());
            route.told(400, ask(route, path, without.encode()));
        }
        for (Map.Entry<String, Object> property : schema.getJsonObject("properties", new JsonObject())) {
            if (CompatRoute.type(property).isPresent()) {
                JsonObject wrong = new JsonObject()
                        .put(
                                property.getKey(),
                                CompatRoute.type(property).get().equals("object") ? "x" : new JsonArray().add(true));
                route.told(400, ask(route, path, wrong.encode()));
            }
        }
        if (Boolean.FALSE.equals(schema.getValue("additionalProperties"))) {
            route.told(400, ask(route, path, "{\"colour\": \"red\"}"));
        }
    }

    static Stream<CompatRoute> routes() {
        return CompatRoute.all();
    }

    private Answer ask(CompatRoute route, String path, String body) {
        return body.isEmpty()
                ? rig.send(bare(route, path, rig.key(Role.ADMIN)))
                : rig.send(rig.request(path, rig.key(Role.ADMIN))
                        .header("Content-Type", "application/json")
                        .method(route.method(), BodyPublishers.ofString(body))
                        .build());
    }

    private HttpRequest bare(CompatRoute route, String path, String key) {
        return rig.request(path, key)
                .method(route.method(), BodyPublishers.noBody())
                .build();
    }

    private String started(String path, String body, String field) {
        return rig.post(path, Role.TRIGGER, body).text(field);
    }

    private static JobSettings job(CompatApi api, String name) {
        return CompatRig.job(api, Job.named(name).onConflict(ConflictPolicy.REJECT), name);
    }

    /** No id, none of ours, and one of another compatible API. */
    private static List<Case> ids(String before, String after, String ofAnotherDoor) {
        return Stream.of("nowhere", UNKNOWN, ofAnotherDoor)
                .map(id -> Case.of(404, before + id + after))
                .toList();
    }

    private static List<Case> releases(String path) {
        return List.of(
                Case.of(404, path + "?reason=stuck"),
                Case.of(404, path + "?reason=stuck&token=1"),
                Case.of(400, path + "?reason="));
    }
}
