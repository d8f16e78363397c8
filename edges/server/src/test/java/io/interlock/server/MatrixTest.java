package io.interlock.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.access.Role;
import io.interlock.engine.access.ApiKey;
import io.interlock.server.MatrixTarget.Sent;
import io.interlock.server.launch.RealServer;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every operation of every OpenAPI document a server serves, by every kind of caller: what the document's {@code x-role} says
 * decides who gets an answer, and others change nothing and learn nothing. An operation without a role, or without a row in
 * {@link MatrixTarget}, fails.
 */
class MatrixTest {

    private static final String JOBS = """
            interlock:
              janitor: { interval: 1h }
              limits: { requests-per-second: 100000 }
              jobs:
                remote: { run: { worker: remote } }
                flaky: { run: { worker: remote }, retry: { attempts: 2, backoff: 0s } }
                export: { api: pipelines, run: { worker: remote } }
                readiness: { api: flows, run: { worker: remote } }
                ingest: { api: ingestion, run: { worker: remote } }
                invoice: { api: workflows, triggers: [paid], on-conflict: queue, run: { worker: remote } }
                CREATE:
                  api: clusters
                  run: { worker: remote }
                  transition: { resource: cluster, from: [PENDING], during: CREATING, success: READY, failure: FAILED }
                INSPECT: { api: clusters, run: { worker: remote } }
            """;

    private static final HttpClient HTTP =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    @TempDir
    static Path folder;

    private final Set<String> told = new HashSet<>();
    private final Map<String, String> keys = new HashMap<>();
    private String url = "";
    private String bootstrap = "";
    private int operations;

    /** What a caller is to a target. */
    private enum Kind {
        OWN,
        FOREIGN,
        FORBIDDEN,
        UNKNOWN
    }

    private record Caller(
            String name,
            Kind kind,
            @Nullable Role role,
            @Nullable String key,
            String tenant) {

        static Caller of(String name, Kind kind, @Nullable String key) {
            return new Caller(name, kind, null, key, "");
        }

        /** What it is to a target if {@code needed} is the role the operation needs. */
        Kind kind(String needed) {
            if (needed.equals("public")) {
                return kind == Kind.OWN ? Kind.OWN : Kind.FOREIGN;
            }
            return role == null || role.includes(Role.valueOf(needed.toUpperCase(Locale.ROOT))) ? kind : Kind.FORBIDDEN;
        }
    }

    private record Answer(int status, String body) {}

    private record Operation(String id, String method, String role) {}

    @ParameterizedTest
    @MethodSource("io.interlock.server.TestStore#proven")
    void everyOperationAnswersThoseWhoMayAndNoOthers(TestStore store) throws IOException {
        Path jobs = Files.writeString(folder.resolve("interlock.yaml"), JOBS);
        Path home = Files.createDirectories(folder.resolve(store.name()));
        try (RealServer server = RealServer.start(
                home, Map.of(), "server", "--no-worker", "--config", jobs.toString(), "--store", store.make(home))) {
            url = server.url();
            bootstrap = server.key().orElseThrow();
            List<Caller> strangers = strangers();
            Set<String> rows = new HashSet<>(MatrixTarget.ROWS.keySet());
            List<String> wrong = new ArrayList<>();
            for (Operation operation : operations()) {
                try {
                    assertThat(operation.role).as("x-role of " + operation.id).isNotEmpty();
                    assertThat(rows.remove(operation.id))
                            .as("a row for " + operation.id)
                            .isTrue();
                    walk(operation, strangers);
                } catch (AssertionError | RuntimeException failure) {
                    wrong.add(operation.id + ": " + failure);
                }
            }
            assertThat(wrong).isEmpty();
            assertThat(rows).as("rows without an operation").isEmpty();
            assertThat(told).as("callers without a valid key are told so").hasSize(5);
        }
    }

    private void walk(Operation operation, List<Caller> strangers) {
        Function<MatrixTarget, Sent> row = Objects.requireNonNull(MatrixTarget.ROWS.get(operation.id));
        // A tenant for some of them: keys cost time, and a list has its longest page.
        MatrixTarget target = target("tenant" + operations++ / 10);
        Sent sent = row.apply(target);
        List<Caller> callers = new ArrayList<>(strangers);
        for (Role role : Role.values()) {
            callers.add(new Caller("own " + role, Kind.OWN, role, key(target.tenant(), role), ""));
        }
        callers.add(new Caller("bootstrap with X-Tenant", Kind.OWN, null, bootstrap, target.tenant()));
        String before = target.state();
        List<Caller> owners = new ArrayList<>();
        for (Caller caller : callers) {
            Kind kind = caller.kind(operation.role);
            if (kind == Kind.OWN) {
                owners.add(caller);
            } else {
                refused(operation, caller, kind, target, sent);
            }
        }
        assertThat(target.state()).as("what was there before " + operation.id).isEqualTo(before);
        for (Caller owner : owners) {
            // What was done cannot be done again.
            boolean again = operation.method.equals("GET") || owner.equals(owners.get(0));
            Sent own = again ? sent : row.apply(target(target.tenant()));
            Answer answer = call(operation.method, own.path(), owner.key, owner.tenant, own.body());
            assertThat(answer.status)
                    .as("%s by %s: %s", operation.id, owner.name, answer.body)
                    .isBetween(200, 299);
        }
    }

    private void refused(Operation operation, Caller caller, Kind kind, MatrixTarget target, Sent sent) {
        String tenant = caller.name.endsWith("X-Tenant") ? target.tenant() : "";
        Answer answer = call(operation.method, sent.path(), caller.key, tenant, sent.body());
        String what = operation.id + " by " + caller.name + ": " + answer.body;
        if (kind == Kind.UNKNOWN) {
            // Wrong keys of one address are throttled.
            assertThat(answer.status).as(what).isIn(401, 429);
            if (answer.status == 401) {
                told.add(caller.name);
            }
        } else if (kind == Kind.FORBIDDEN) {
            assertThat(answer.status).as(what).isEqualTo(403);
        } else if (!operation.role.equals("public")) {
            assertThat(answer.status).as(what).isNotIn(401, 403).isLessThan(500);
        }
        for (String mark : target.marks()) {
            if (!sent.toString().contains(mark)) {
                assertThat(answer.body).as(what).doesNotContain(mark);
            }
        }
    }

    /** Callers that have nothing to do with the tenant of a target. */
    private List<Caller> strangers() {
        List<Caller> strangers = new ArrayList<>();
        for (Role role : Role.values()) {
            strangers.add(new Caller("other " + role, Kind.FOREIGN, role, key("other", role), ""));
        }
        String admin = key("default", Role.ADMIN);
        JsonObject revoked = made("default", "{\"role\": \"admin\"}");
        assertThat(call("DELETE", "/api/v1/keys/" + revoked.getString("id"), bootstrap, "", "").status)
                .isEqualTo(204);
        String expired =
                made("default", "{\"role\": \"admin\", \"expiresIn\": \"1s\"}").getString("apiKey");
        await().until(() -> call("GET", "/api/v1/runs", expired, "", "").status == 401);
        strangers.add(Caller.of("without a key", Kind.UNKNOWN, null));
        strangers.add(Caller.of("garbage", Kind.UNKNOWN, "ilk_garbage"));
        strangers.add(Caller.of("wrong secret", Kind.UNKNOWN, withAnotherSecret(admin)));
        strangers.add(Caller.of("revoked", Kind.UNKNOWN, revoked.getString("apiKey")));
        strangers.add(Caller.of("expired", Kind.UNKNOWN, expired));
        strangers.add(Caller.of("other with X-Tenant", Kind.FORBIDDEN, key("other", Role.ADMIN)));
        strangers.add(Caller.of("default with X-Tenant", Kind.FORBIDDEN, admin));
        return strangers;
    }

    /** A key with the id of {@code key}, well formed, and a secret that is not its own. */
    private static String withAnotherSecret(String key) {
        String digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
        Iterator<Integer> id = key.substring(4, 16).chars().map(digits::indexOf).iterator();
        String made = ApiKey.draw(new Random(1) {
                    @Override
                    public int nextInt(int bound) {
                        return id.next();
                    }
                })
                .text();
        assertThat(made).startsWith(key.substring(0, 16)).isNotEqualTo(key);
        return made;
    }

    private List<Operation> operations() {
        List<Operation> all = new ArrayList<>();
        new JsonObject(call("GET", "/openapi", null, "", "").body)
                .getJsonArray("items")
                .forEach(item -> {
                    String at = ((JsonObject) item).getString("url");
                    JsonObject document = new JsonObject(call("GET", at, null, "", "").body);
                    document.getJsonObject("paths")
                            .forEach(path -> ((JsonObject) path.getValue()).forEach(method -> {
                                JsonObject operation = (JsonObject) method.getValue();
                                all.add(new Operation(
                                        operation.getString("operationId"),
                                        method.getKey().toUpperCase(Locale.ROOT),
                                        operation.getString("x-role", "")));
                            }));
                });
        return all;
    }

    private MatrixTarget target(String tenant) {
        return new MatrixTarget(tenant, (method, path, body) -> {
            Answer answer = call(method, path, bootstrap, tenant, body);
            assertThat(answer.status)
                    .as("%s %s %s: %s", method, path, body, answer.body)
                    .isBetween(200, 299);
            return answer.body;
        });
    }

    private String key(String tenant, Role role) {
        return keys.computeIfAbsent(
                url + tenant + role,
                name -> made(tenant, "{\"role\": \"" + role.name().toLowerCase(Locale.ROOT) + "\"}")
                        .getString("apiKey"));
    }

    private JsonObject made(String tenant, String order) {
        return new JsonObject(call("POST", "/api/v1/keys", bootstrap, tenant, order).body);
    }

    private Answer call(String method, String path, @Nullable String key, String tenant, String body) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(40));
        if (key != null) {
            request.header("x-api-key", key);
        }
        if (!tenant.isEmpty()) {
            request.header("X-Tenant", tenant);
        }
        if (!body.isEmpty()) {
            request.header("Content-Type", "application/json");
        }
        request.method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (path.startsWith("/api/v1/stream")) {
            // It has no end.
            HttpResponse<InputStream> begun = HTTP.sendAsync(request.build(), BodyHandlers.ofInputStream())
                    .join();
            try (InputStream stream = begun.body()) {
                return new Answer(begun.statusCode(), "");
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
        }
        HttpResponse<String> answer =
                HTTP.sendAsync(request.build(), BodyHandlers.ofString()).join();
        return new Answer(answer.statusCode(), answer.body());
    }
}
