package io.interlock.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.access.Role;
import io.interlock.config.Limits;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.access.AccessRecords;
import io.interlock.server.access.Authentication;
import io.interlock.server.api.Api.TenantRequests;
import io.interlock.server.compat.CompatApis;
import io.interlock.server.http.ClientAddress;
import io.interlock.server.http.RequestFilter;
import io.interlock.server.session.Sessions;
import io.interlock.store.memory.MemoryStore;
import io.interlock.time.Environment;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.openapi.contract.OpenAPIContract;
import io.vertx.openapi.contract.OpenAPIVersion;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The document routes and checks, so it cannot say anything else than the server does. */
class ApiContractTest {

    private static final Rig rig = new Rig();
    private static final Vertx vertx = Vertx.vertx();
    private static Api api;

    @BeforeAll
    static void load() {
        api = Rig.join(Api.load(vertx, Api.DOCUMENT).toCompletionStage());
    }

    @AfterAll
    static void close() {
        rig.close();
        Rig.join(vertx.close().toCompletionStage());
    }

    /** So that the server need not look at every start. */
    @ParameterizedTest
    @MethodSource("documents")
    void everyDocumentIsValidOpenApi(String name) {
        JsonObject document = ContractDocument.forRouting(ContractDocument.read(name));
        OpenAPIContract contract = checked(document);
        assertThat(contract.getVersion()).isEqualTo(OpenAPIVersion.V3_1);
        Api loaded = Rig.join(Api.load(vertx, name).toCompletionStage());
        assertThat(contract.operations())
                .extracting(operation -> operation.getOperationId())
                .containsExactlyInAnyOrderElementsOf(loaded.operationIds());
        document.remove("info");
        assertThatThrownBy(() -> checked(document)).hasStackTraceContaining("OpenAPIContractException");
    }

    private static Stream<String> documents() {
        return Stream.concat(Stream.of(Api.DOCUMENT), CompatApis.DOCUMENTS.stream());
    }

    private static OpenAPIContract checked(JsonObject document) {
        return Rig.join(OpenAPIContract.from(vertx, document.copy()).toCompletionStage());
    }

    @Test
    void rolesAreThoseOfTheContractPage() {
        Map<String, List<String>> roles = new TreeMap<>();
        operations((path, operation) -> roles.computeIfAbsent(operation.getString("x-role"), role -> new ArrayList<>())
                .add(operation.getString("operationId")));
        roles.values().forEach(ids -> ids.sort(null));
        assertThat(roles)
                .isEqualTo(Map.of(
                        "public",
                        List.of("getContract", "signIn", "signOut"),
                        "read",
                        List.of(
                                "getHistory",
                                "getHolds",
                                "getJanitor",
                                "getJob",
                                "getLine",
                                "getResource",
                                "getRun",
                                "getSession",
                                "getSummary",
                                "listJobs",
                                "listLocks",
                                "listRuns",
                                "listWorkers",
                                "search",
                                "streamEvents"),
                        "trigger",
                        List.of("cancelRun", "rerunRun", "startRun"),
                        "worker",
                        List.of(
                                "acquireLease",
                                "claimWork",
                                "finishRun",
                                "heartbeat",
                                "releaseLease",
                                "renewLease",
                                "takeTurn",
                                "validateToken"),
                        "operator",
                        List.of(
                                "discardRun",
                                "evictLease",
                                "listAudit",
                                "moveToFront",
                                "pauseKeys",
                                "redriveRun",
                                "resumeKeys",
                                "setResource",
                                "sweepNow",
                                "verifyAudit"),
                        "admin",
                        List.of("createKey", "getConfig", "listKeys", "revokeKey", "revokeKeyByQuery")));
    }

    @Test
    void anOperationNobodyAnswersStopsTheStart() {
        Operations none = new Operations();
        assertThatThrownBy(() ->
                        api.routes(vertx, authentication(), gate(), new TenantRequests(Limits.Tenant.DEFAULT), none))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("has no answer");
    }

    @Test
    void anAnswerToWhatIsNotInTheContractStopsTheStart() {
        Operations stray = new Operations().on("makeCoffee", call -> {
            throw new AssertionError("never called");
        });
        assertThatThrownBy(() ->
                        api.routes(vertx, authentication(), gate(), new TenantRequests(Limits.Tenant.DEFAULT), stray))
                .hasMessageContaining("makeCoffee");
    }

    @Test
    void requestsRefuseUnknownFieldsEverywhere() {
        JsonObject schemas = api.document().getJsonObject("components").getJsonObject("schemas");
        List<String> bodies = new ArrayList<>();
        operations((path, operation) -> {
            JsonObject body = operation.getJsonObject("requestBody");
            if (body != null) {
                bodies.add(body.getJsonObject("content")
                        .getJsonObject("application/json")
                        .getJsonObject("schema")
                        .getString("$ref")
                        .replace("#/components/schemas/", ""));
            }
        });
        assertThat(bodies)
                .hasSizeGreaterThan(10)
                .allSatisfy(name -> assertThat(schemas.getJsonObject(name).getBoolean("additionalProperties"))
                        .as(name)
                        .isFalse());
    }

    @Test
    void everyExampleOfARequestIsAccepted() {
        List<String> tried = new ArrayList<>();
        operations((path, operation) -> {
            JsonObject body = operation.getJsonObject("requestBody");
            JsonObject example = body == null
                    ? null
                    : body.getJsonObject("content")
                            .getJsonObject("application/json")
                            .getJsonObject("example");
            if (example != null) {
                String method = operation.getString("operationId").equals("setResource") ? "PUT" : "POST";
                HttpResponse<String> answer =
                        rig.send(rig.request("/api/v1" + path.replace("{id}", "4711"), rig.key("acme", Role.ADMIN))
                                .header("Content-Type", "application/json")
                                .method(method, BodyPublishers.ofString(example.encode()))
                                .build());
                assertThat(answer.statusCode())
                        .as("%s: %s", path, answer.body())
                        .isEqualTo(200);
                assertThat(Rig.json(answer).getString("operation")).isEqualTo(operation.getString("operationId"));
                assertThat(Rig.json(answer).getJsonObject("body")).isEqualTo(example);
                tried.add(path);
            }
        });
        assertThat(tried).hasSizeGreaterThan(8);
    }

    @Test
    void everyOperationIsRoutedAndEveryOtherMethodIsNamed() {
        operations((path, operation) -> {});
        HttpResponse<String> answer = rig.send(rig.request("/api/v1/locks", rig.key("acme", Role.ADMIN))
                .method("PATCH", java.net.http.HttpRequest.BodyPublishers.noBody())
                .build());
        assertThat(answer.statusCode()).isEqualTo(405);
        assertThat(answer.headers().firstValue("Allow")).contains("GET");
        assertThat(Rig.json(answer).getString("code")).isEqualTo("method-not-allowed");
        assertThat(Rig.json(answer).getJsonArray("allowed")).containsExactly("GET");
        HttpResponse<String> nowhere = rig.get("/api/v1/lokcs", rig.key("acme", Role.ADMIN));
        assertThat(nowhere.statusCode()).isEqualTo(404);
        assertThat(Rig.json(nowhere).getString("code")).isEqualTo("unknown-route");
    }

    @Test
    void allMistakesAreNamedAtOnce() {
        HttpResponse<String> answer = rig.post("/api/v1/runs", rig.key("acme", Role.ADMIN), """
                {"maxWait": "10 parsecs", "priority": 1000, "tenant": "other", "onConflict": "MAYBE", "labels": {"a": 1}}
                """);
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
        assertThat(pointers(answer)).contains("/maxWait", "/priority", "/tenant", "/onConflict", "/labels/a", "/key");
    }

    @Test
    void mistakesInTheQueryAreNamedToo() {
        HttpResponse<String> answer = rig.get(
                "/api/v1/runs?limit=1000&state=RUNNING,ASLEEP&colour=red&key=a&key=b", rig.key("acme", Role.READ));
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(pointers(answer)).contains("query/limit", "query/state", "query/colour", "query/key");
        HttpResponse<String> missing = rig.get("/api/v1/locks/validate?key=a", rig.key("acme", Role.WORKER));
        assertThat(pointers(missing)).containsExactly("query/token");
    }

    @Test
    void whatIsNoJsonIsSaidWithItsPlace() {
        HttpResponse<String> answer = rig.post("/api/v1/runs", rig.key("acme", Role.ADMIN), "{\"key\": \"a\",,}");
        assertThat(answer.statusCode()).isEqualTo(400);
        assertThat(answer.body()).contains("not JSON: line 1, column");
        assertThat(rig.post("/api/v1/runs", rig.key("acme", Role.ADMIN), "[]").statusCode())
                .isEqualTo(400);
        assertThat(rig.post("/api/v1/runs", rig.key("acme", Role.ADMIN), "").statusCode())
                .isEqualTo(400);
    }

    @Test
    void theDocumentIsCompleteAndSaysWhatCanGoWrong() {
        JsonObject start =
                api.document().getJsonObject("paths").getJsonObject("/runs").getJsonObject("post");
        JsonObject conflict = start.getJsonObject("responses").getJsonObject("409");
        assertThat(conflict.getJsonObject("content")
                        .getJsonObject("application/problem+json")
                        .getJsonObject("examples")
                        .fieldNames())
                .containsExactly("lock-held", "lock-delayed", "wrong-state", "key-paused", "store-recovering");
        assertThat(start.getJsonObject("responses").fieldNames()).contains("400", "401", "403", "422", "429", "503");
        assertThat(api.document()
                        .getJsonObject("components")
                        .getJsonObject("examples")
                        .fieldNames())
                .contains("lock-held");
    }

    private static List<String> pointers(HttpResponse<String> answer) {
        JsonArray errors = Rig.json(answer).getJsonArray("errors");
        assertThat(errors).as(answer.body()).isNotNull();
        return errors.stream()
                .map(error -> ((JsonObject) error).getString("pointer"))
                .toList();
    }

    private static void operations(BiConsumer<String, JsonObject> visitor) {
        api.document()
                .getJsonObject("paths")
                .forEach(path -> ((JsonObject) path.getValue())
                        .forEach(operation -> visitor.accept(path.getKey(), (JsonObject) operation.getValue())));
    }

    private static Authentication authentication() {
        Environment environment = Environment.system();
        MemoryStore store = new MemoryStore(environment);
        KeyRing ring = new KeyRing(store.accessKeys(), environment, Runnable::run);
        Sessions sessions = new Sessions(store.signIns(), ring, environment, Runnable::run);
        return new Authentication(ring, sessions, 10, true, environment.ticker());
    }

    private static RequestFilter gate() {
        Environment environment = Environment.system();
        KeyRing ring = new KeyRing(new MemoryStore(environment).accessKeys(), environment, Runnable::run);
        AccessRecords records = new AccessRecords(Optional.empty(), ring, environment, new SimpleMeterRegistry());
        return new RequestFilter(environment, Limits.DEFAULT, new ClientAddress(List.of()), false, records::refused);
    }
}
