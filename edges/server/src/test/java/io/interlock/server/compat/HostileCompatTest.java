package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.ConflictPolicy;
import io.interlock.access.Role;
import io.interlock.config.CompatApi;
import io.interlock.engine.Job;
import io.interlock.server.EngineRig.Answer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every route of every compatible API against bytes, types, numbers and methods that no sane client sends: always the API's own shape. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HostileCompatTest {

    private static final String JSON = "application/json";
    private static final int OVERSIZE = 300_000;

    /** Where something would be started if it were not for what is wrong. */
    private static final Map<String, String> KNOWN = Map.of("runPipeline", "export", "triggerWorkflow", "invoice");

    private CompatRig rig;

    @BeforeAll
    void open() {
        rig = CompatRig.on(
                "memory:",
                PipelineApi.DOCUMENT,
                List.of(
                        CompatRig.job(CompatApi.PIPELINES, Job.named("export").onConflict(ConflictPolicy.JOIN)),
                        CompatRig.job(CompatApi.FLOWS, Job.named("readiness").onConflict(ConflictPolicy.SKIP)),
                        CompatRig.job(CompatApi.INGESTION, Job.named("ingest")),
                        CompatRig.job(CompatApi.WORKFLOWS, Job.named("invoice"), "invoice"),
                        CompatRig.job(CompatApi.CLUSTERS, Job.named("CREATE"))));
    }

    @AfterAll
    void close() {
        rig.closeAll();
    }

    static Stream<CompatRoute> routes() {
        return CompatRoute.all();
    }

    static Stream<CompatRoute> bodies() {
        return CompatRoute.all().filter(route -> route.body().isPresent());
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void bytesThatAreNoText(CompatRoute route) {
        for (byte[] bytes : new byte[][] {
            "{\"phase\": \"\u00e4\"}".getBytes(StandardCharsets.ISO_8859_1),
            "{}".getBytes(StandardCharsets.UTF_16),
            {'{', '"', (byte) 0xC0, (byte) 0x80, '"', ':', '1', '}'},
            {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF, '{', '}', '}'},
            {0},
        }) {
            route.told(400, send(route, JSON, BodyPublishers.ofByteArray(bytes)));
        }
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void jsonThatSaysTwoThings(CompatRoute route) {
        for (String body : List.of(
                "{\"a\": 1, \"a\": 2}",
                "{\"parameters\": {\"n\": 1, \"n\": 2}}",
                "{\"parameters\": [{\"n\": 1, \"n\": 2}]}",
                "{\"phase\": \"readiness\", \"phase\": \"readiness\"}",
                "{} {}",
                "{\"a\": 1,}",
                "{'a': 1}",
                "{\"a\": NaN}",
                "{\"a\": 01}",
                "{\"a\": \"\n\"}")) {
            Answer answer = send(route, JSON, BodyPublishers.ofString(body));
            route.told(400, answer);
            assertThat(answer.response().body()).as("%s %s", route, body).contains("is not JSON");
        }
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void fieldsOfEveryKindInTheWrongPlace(CompatRoute route) {
        List<String> values = List.of(
                "null",
                "true",
                "1.5",
                "-1",
                "1e400",
                "-1e400",
                "1e-400",
                "99999999999999999999999999999999",
                "\"\"",
                "\"\\u0000\"",
                "\"\\ud800\"",
                "\"" + "\\u00e9".repeat(200) + "\"",
                "\"" + "\uD83D\uDD12".repeat(100) + "\"",
                "\"" + "x".repeat(70_000) + "\"",
                "[]",
                "{\"\": 1}",
                "{\"\\u0000\": 1}",
                "[".repeat(19) + "]".repeat(19),
                "[".repeat(20) + "]".repeat(20));
        JsonObject schema = route.body().orElseThrow();
        for (String field : schema.getJsonObject("properties", new JsonObject()).fieldNames()) {
            for (String value : values) {
                refusedOrDone(route, filled(schema, field, value));
            }
        }
        for (String value : values) {
            refusedOrDone(route, "{\"somethingElse\": " + value + "}");
        }
    }

    @ParameterizedTest
    @MethodSource("bodies")
    void bodiesThatAreNotPlainJson(CompatRoute route) {
        BodyPublisher plain = BodyPublishers.ofString("{}");
        List<String> types = List.of(
                "text/plain",
                "text/json",
                "application/xml",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "application/json; charset=utf-16",
                "application/json, text/plain",
                "*/*");
        if (!route.takesAnyType()) {
            types.forEach(type -> route.told(415, send(route, type, plain)));
            route.told(
                    415, rig.send(request(route).method(route.method(), plain).build()));
        }
        route.told(
                415,
                rig.send(request(route)
                        .header("Content-Type", JSON)
                        .header("Content-Encoding", "gzip")
                        .method(route.method(), plain)
                        .build()));
        byte[] large = ("{\"x\": \"" + "x".repeat(OVERSIZE) + "\"}").getBytes(StandardCharsets.UTF_8);
        route.told(413, send(route, JSON, BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large))));
    }

    @ParameterizedTest
    @MethodSource("routes")
    void aBodyWhereThereIsNone(CompatRoute route) {
        if (route.body().isEmpty()) {
            route.told(400, send(route, JSON, BodyPublishers.ofString("{}")));
        }
    }

    @ParameterizedTest
    @MethodSource("routes")
    void otherMethods(CompatRoute route) {
        for (String method : List.of("PUT", "PATCH", "OPTIONS", "PROPFIND")) {
            route.told(
                    405,
                    rig.send(request(route)
                            .method(method, BodyPublishers.noBody())
                            .build()));
        }
        Answer head =
                rig.send(request(route).method("HEAD", BodyPublishers.noBody()).build());
        assertThat(head.status()).isEqualTo(405);
    }

    @ParameterizedTest
    @MethodSource("routes")
    void idsThatAreNoText(CompatRoute route) {
        for (JsonObject parameter : route.parameters("path")) {
            String name = parameter.getString("name");
            for (String id : List.of("a%00b", "%00", "a%2Fb", "%2F", "..%2F..", "%FF", "%C0%80", "%ED%A0%80")) {
                Answer answer = send(route, route.pathWith(name, id));
                assertThat(answer.status()).as("%s %s", route, id).isIn(400, 404);
                route.told(answer.status(), answer);
            }
            for (String id : List.of("%20", "a%0Ab", "%E2%80%AE", "%F0%9F%94%92".repeat(25), "a%3Fb%3Dc", "a+b", "-")) {
                Answer answer = send(route, route.pathWith(name, id));
                assertThat(answer.status()).as("%s %s", route, id).isLessThan(500);
                if (answer.status() >= 400) {
                    route.told(answer.status(), answer);
                }
            }
        }
    }

    @Test
    void waitsBeyondAllBounds() {
        CompatRoute ingest = route("ingestEvent");
        for (String wait : List.of("PT-1S", "-1s", "1", "1e3s", "P1Y", "PT999999999999999999999H", "1s%00", "%20")) {
            ingest.told(400, send(ingest, "/api/v1/events/free/ingest?wait=" + wait));
        }
        ingest.told(400, send(ingest, "/api/v1/events/free/ingest?wait=1s&wait=2s"));
        send(ingest, "/api/v1/events/free/ingest?wait=999999999999d").is(202);
    }

    @Test
    void idsOfEventsInHeaders() {
        CompatRoute trigger = route("triggerWorkflow");
        for (String header : List.of("Idempotency-Key", "webhook-id")) {
            for (String value : List.of("", "x".repeat(151))) {
                trigger.told(400, rig.post("/api/webhooks/invoice", rig.key(Role.TRIGGER), "", header, value));
            }
            trigger.told(400, rig.post("/api/webhooks/invoice", rig.key(Role.TRIGGER), "", header, "a", header, "b"));
        }
    }

    private static CompatRoute route(String id) {
        return CompatRoute.all()
                .filter(route -> route.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    /** A body that fits but for one field. */
    private static String filled(JsonObject schema, String field, String value) {
        JsonObject others = new JsonObject();
        for (Map.Entry<String, Object> property : schema.getJsonObject("properties")) {
            boolean needed = schema.getJsonArray("required", new JsonArray()).contains(property.getKey());
            if (needed && !property.getKey().equals(field)) {
                others.put(property.getKey(), "x");
            }
        }
        String rest = others.encode();
        return "{\"" + field + "\": " + value + (others.isEmpty() ? "}" : ", " + rest.substring(1));
    }

    private void refusedOrDone(CompatRoute route, String body) {
        Answer answer = send(route, JSON, BodyPublishers.ofString(body));
        String shown = body.substring(0, Math.min(100, body.length()));
        assertThat(answer.status()).as("%s %s", route, shown).isLessThan(500);
        if (answer.status() >= 400) {
            route.told(answer.status(), answer);
        }
    }

    private Answer send(CompatRoute route, String type, BodyPublisher body) {
        return rig.send(request(route)
                .header("Content-Type", type)
                .method(route.method(), body)
                .build());
    }

    private Answer send(CompatRoute route, String path) {
        return rig.send(rig.request(path, rig.key(Role.ADMIN))
                .method(route.method(), BodyPublishers.noBody())
                .build());
    }

    private HttpRequest.Builder request(CompatRoute route) {
        String known = KNOWN.getOrDefault(route.id(), "x");
        return rig.request(route.path().replaceAll("\\{[^}]*}", known), rig.key(Role.ADMIN));
    }
}
