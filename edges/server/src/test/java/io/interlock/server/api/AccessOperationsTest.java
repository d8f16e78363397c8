package io.interlock.server.api;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.access.Role;
import io.interlock.config.Configuration;
import io.interlock.config.Given;
import io.interlock.config.Given.Flag;
import io.interlock.server.operation.AccessOperations;
import io.interlock.time.Environment;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys and configuration over HTTP. */
class AccessOperationsTest {

    private static final Rig rig = new Rig();

    @TempDir
    static Path folder;

    private static String bootstrap = "";

    @BeforeAll
    static void connect() throws IOException {
        // Before there is any other admin.
        bootstrap = Rig.join(rig.ring.bootstrap("test")).orElseThrow().secret().text();
        Path file = Files.writeString(folder.resolve("interlock.yaml"), """
                interlock:
                  limits: { api-keys: 10 }
                  jobs:
                    export:
                      lease: 20s
                      run: { command: ["/opt/secret-tool", "--all"] }
                      schedule: "0 3 * * *"
                      schedule-tenant: other
                      probe: { command: ["/opt/secret-probe"] }
                  tenants: { acme: { max-running: 3 }, secret-customer: { max-running: 9 } }
                  notify:
                    - { on: [evicted], command: [./tell-acme], tenant: acme }
                    - { on: [evicted], command: [./tell-other], tenant: other }
                  maintenance:
                    - { no-start: "Fri 18:00 - Mon 06:00", keys: "pay/*", tenant: acme }
                    - { no-start: "22:00 - 06:00", keys: "secret/*", tenant: other }
                """);
        Configuration configuration =
                Configuration.read(new Given(List.of(Flag.of("store", "postgresql://me:canary@db/x")), Map.of(), file));
        Operations operations = new Operations();
        AccessOperations.addTo(
                operations, rig.ring, configuration, Environment.system().clock(), true);
        operations.ids().forEach(id -> rig.answer(id, operations.of(id)));
    }

    @AfterAll
    static void close() {
        rig.close();
    }

    @Test
    void aTenantHasOnlySoManyKeysThatCount() {
        String admin = rig.key("hoard", Role.ADMIN);
        for (int i = 1; i < 10; i++) {
            assertThat(rig.post("/api/v1/keys", admin, "{\"role\": \"read\"}").statusCode())
                    .isEqualTo(201);
        }
        HttpResponse<String> refused = rig.post("/api/v1/keys", admin, "{\"role\": \"read\"}");
        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(Rig.json(refused).getString("code")).isEqualTo("tenant-limit");
        assertThat(Rig.json(refused).getString("setting")).isEqualTo("limits.api-keys");
        assertThat(Rig.json(refused).getInteger("limit")).isEqualTo(10);
    }

    @Test
    void aKeyIsMadeShownOnceListedAndTakenBack() {
        String admin = rig.key("acme", Role.ADMIN);
        HttpResponse<String> made =
                rig.post("/api/v1/keys", admin, "{\"role\": \"read\", \"label\": \"visitor\", \"expiresIn\": \"90d\"}");
        assertThat(made.statusCode()).isEqualTo(201);
        String secret = Rig.json(made).getString("apiKey");
        String id = Rig.json(made).getString("id");
        assertThat(made.headers().firstValue("Location")).contains("/api/v1/keys/" + id);
        assertThat(Rig.json(made).getString("createdAt"))
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");
        assertThat(rig.get("/api/v1/runs", secret).statusCode()).isEqualTo(200);

        HttpResponse<String> list = rig.get("/api/v1/keys", admin);
        assertThat(list.body()).contains(id).doesNotContain(secret, "hash");
        assertThat(Rig.json(list).getJsonArray("items").stream()
                        .map(JsonObject.class::cast)
                        .filter(key -> key.getString("id").equals(id))
                        .map(key -> key.getString("lastUsedAt")))
                .allMatch(used -> used.endsWith("Z"))
                .hasSize(1);

        assertThat(delete("/api/v1/keys/" + id + "?reason=left", admin)).isEqualTo(204);
        assertThat(rig.get("/api/v1/runs", secret).statusCode()).isEqualTo(401);
        assertThat(delete("/api/v1/keys?id=" + id, admin)).as("again").isEqualTo(204);
    }

    @Test
    void keysOfAnotherTenantAreNotThere() {
        HttpResponse<String> made = rig.post("/api/v1/keys", rig.key("acme", Role.ADMIN), "{\"role\": \"read\"}");
        String id = Rig.json(made).getString("id");
        assertThat(rig.get("/api/v1/keys", rig.key("other", Role.ADMIN)).body()).doesNotContain(id);
        assertThat(delete("/api/v1/keys/" + id, rig.key("other", Role.ADMIN))).isEqualTo(404);
        assertThat(delete("/api/v1/keys/nonsense", rig.key("other", Role.ADMIN)))
                .isEqualTo(404);
    }

    @Test
    void theConfigurationIsShownWithOriginsAndWithoutSecrets() {
        HttpResponse<String> answer = rig.get("/api/v1/config", bootstrap);
        List<JsonObject> items = Rig.json(answer).getJsonArray("items").stream()
                .map(JsonObject.class::cast)
                .toList();
        assertThat(items)
                .contains(new JsonObject()
                        .put("name", "interlock.store")
                        .put("value", "postgresql://me:***@db/x")
                        .put("origin", "flag --store"));
        assertThat(answer.body()).doesNotContain("canary");
    }

    @Test
    void anAdminOfATenantSeesOfTheConfigurationWhatConcernsTheTenant() {
        String mine = rig.get("/api/v1/config", rig.key("acme", Role.ADMIN)).body();
        assertThat(mine)
                .contains(
                        "interlock.limits.body",
                        "interlock.jobs.export.lease",
                        "interlock.tenants.acme",
                        "tell-acme",
                        "pay/*")
                .doesNotContain(
                        "secret-customer",
                        "secret-tool",
                        "secret-probe",
                        "secret/*",
                        "tell-other",
                        "interlock.store",
                        "schedule");
        assertThat(rig.get("/api/v1/config", rig.key("other", Role.ADMIN)).body())
                .contains("tell-other", "0 3 * * *")
                .doesNotContain("acme");
        assertThat(rig.get("/api/v1/config", bootstrap).body()).contains("secret-customer", "secret-tool");
    }

    @Test
    void keysAreListedInPages() {
        String admin = rig.key("pages", Role.ADMIN);
        for (int i = 0; i < 4; i++) {
            rig.issue("pages", Role.READ);
        }
        JsonObject first = Rig.json(rig.get("/api/v1/keys?limit=3", admin));
        JsonObject second = Rig.json(rig.get("/api/v1/keys?limit=3&cursor=" + first.getString("cursor"), admin));
        assertThat(first.getJsonArray("items")).hasSize(3);
        assertThat(second.getJsonArray("items")).hasSize(2).doesNotContainAnyElementsOf(first.getJsonArray("items"));
        assertThat(second.containsKey("cursor")).isFalse();
    }

    private static int delete(String path, String key) {
        return rig.send(rig.request(path, key).DELETE().build()).statusCode();
    }
}
