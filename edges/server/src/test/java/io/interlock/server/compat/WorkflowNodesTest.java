package io.interlock.server.compat;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.interlock.server.api.ContractCheck;
import io.interlock.server.launch.RealServer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A workflow of three nodes, by configuration, at a real server with a single slot. */
class WorkflowNodesTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    static Path folder;

    private static RealServer server;
    private static String[] arguments = {};
    private static String key = "";

    private final ContractCheck contract = new ContractCheck(WorkflowApi.DOCUMENT);

    @BeforeAll
    static void start() throws IOException {
        Path file = Files.writeString(folder.resolve("interlock.yaml"), """
                interlock:
                  jobs:
                    invoice: { api: workflows, run: { nodes: [charge, mail, ledger] }, retry: { attempts: 2 } }
                    other: { api: workflows, run: { nodes: [quick] } }
                    brief: { api: workflows, run: { nodes: [charge, mail, ledger] }, lease: 2s }
                    charge: { run: { worker: remote } }
                    mail: { run: { worker: remote } }
                    ledger: { run: { worker: remote } }
                    quick: { run: { command: ["true"] } }
                """);
        arguments = new String[] {
            "server", "--slots", "1", "--config", file.toString(), "--store", "sqlite:" + folder.resolve("i.db")
        };
        server = RealServer.start(folder, Map.of(), arguments);
        key = server.key().orElseThrow();
    }

    @AfterAll
    static void end() {
        server.close();
    }

    @Test
    void nodesRunBesideEachOtherUnderKeysOfTheirOwn() {
        String tenant = tenant();
        String id = trigger(tenant, "invoice");
        Map<String, JsonObject> work = takeAll(tenant);
        JsonObject execution = execution(tenant, id);
        assertThat(execution.getString("status")).isEqualTo("RUNNING");
        assertThat(statusOfNodes(execution))
                .as("all at once")
                .isEqualTo(Map.of("charge", "RUNNING", "mail", "RUNNING", "ledger", "RUNNING"));
        JsonArray locks = get(tenant, "/api/v1/locks?state=HELD").getJsonArray("items");
        assertThat(locks.stream().map(lock -> ((JsonObject) lock).getString("key")))
                .containsExactlyInAnyOrder(
                        "workflow/invoice",
                        "workflow/invoice/node/charge",
                        "workflow/invoice/node/mail",
                        "workflow/invoice/node/ledger");
        JsonObject charge = of("charge", work).getJsonObject("run");
        JsonObject ofNode = execution(tenant, charge.getString("id"));
        assertThat(ofNode.getString("workflowId")).isEqualTo("invoice");
        assertThat(ofNode.getString("node")).isEqualTo("charge");
        assertThat(of("charge", work).getJsonObject("parameters"))
                .as("what the sender sent")
                .isEqualTo(new JsonObject().put("amount", 7));
        work.values().forEach(item -> finish(tenant, item, "SUCCEEDED"));
        ends(tenant, id, "SUCCESS");
        assertThat(statusOfNodes(execution(tenant, id)).values()).containsOnly("SUCCESS");
    }

    @Test
    void aFurtherAttemptDoesOnlyWhatHasNotSucceeded() {
        String tenant = tenant();
        String id = trigger(tenant, "invoice");
        Map<String, JsonObject> work = takeAll(tenant);
        finish(tenant, of("charge", work), "SUCCEEDED");
        finish(tenant, of("ledger", work), "SUCCEEDED");
        finish(tenant, of("mail", work), "FAILED");
        JsonObject again = take(tenant);
        assertThat(again.getJsonObject("run").getString("job")).isEqualTo("mail");
        assertThat(statusOfNodes(execution(tenant, id)))
                .isEqualTo(Map.of("charge", "SUCCESS", "mail", "RUNNING", "ledger", "SUCCESS"));
        finish(tenant, again, "FAILED");
        ends(tenant, id, "FAILED");
        JsonObject error = execution(tenant, id).getJsonObject("error");
        assertThat(error.getString("message")).contains("node mail is FAILED");
    }

    @Test
    void abortingAnExecutionStopsItsNodes() {
        String tenant = tenant();
        String id = trigger(tenant, "invoice");
        Map<String, JsonObject> work = takeAll(tenant);
        post(tenant, "/api/executions/" + id + "/abort", new JsonObject(), 202);
        ends(tenant, id, "ABORTED");
        work.values().forEach(item -> {
            await().atMost(SOON).until(() -> heartbeat(tenant, item).getBoolean("cancelRequested"));
            finish(tenant, item, "ABORTED");
        });
        assertThat(statusOfNodes(execution(tenant, id)).values()).containsOnly("ABORTED");
        trigger(tenant, "invoice");
    }

    @Test
    void theNodesOfAnExecutionWhoseServerIsKilledAreStopped() {
        String tenant = tenant();
        String id = trigger(tenant, "brief");
        Map<String, JsonObject> work = takeAll(tenant);
        finish(tenant, of("charge", work), "SUCCEEDED");
        server.signal("KILL");
        server.exitCode();
        server = RealServer.start(folder, Map.of(), arguments);
        ends(tenant, id, "FAILED");
        assertThat(execution(tenant, id).getJsonObject("error").getString("code"))
                .isEqualTo("WORKER_TIMEOUT");
        await().atMost(SOON)
                .until(() -> heartbeat(tenant, of("mail", work)).getBoolean("cancelRequested")
                        && heartbeat(tenant, of("ledger", work)).getBoolean("cancelRequested"));
        finish(tenant, of("mail", work), "ABORTED");
        finish(tenant, of("ledger", work), "ABORTED");
        assertThat(statusOfNodes(execution(tenant, id)))
                .isEqualTo(Map.of("charge", "SUCCESS", "mail", "ABORTED", "ledger", "ABORTED"));
    }

    @Test
    void executionsThatWaitForTheirNodesTakeNoSlots() {
        List<String> tenants = List.of(tenant(), tenant(), tenant(), tenant());
        Map<String, String> executions =
                tenants.stream().collect(Collectors.toMap(name -> name, name -> trigger(name, "other")));
        executions.forEach((name, id) -> ends(name, id, "SUCCESS"));
    }

    private Map<String, JsonObject> takeAll(String tenant) {
        Map<String, JsonObject> work = new TreeMap<>();
        for (int i = 0; i < 3; i++) {
            JsonObject item = take(tenant);
            work.put(item.getJsonObject("run").getString("job"), item);
        }
        assertThat(work).containsOnlyKeys("charge", "mail", "ledger");
        return work;
    }

    private static JsonObject of(String node, Map<String, JsonObject> work) {
        return Objects.requireNonNull(work.get(node));
    }

    private JsonObject take(String tenant) {
        JsonObject claim = new JsonObject()
                .put("claimId", UUID.randomUUID().toString())
                .put("worker", "w")
                .put("jobs", new JsonArray().add("charge").add("mail").add("ledger"))
                .put("max", 1)
                .put("wait", "20s");
        return post(tenant, "/api/v1/claims", claim, 200).getJsonArray("items").getJsonObject(0);
    }

    private JsonObject heartbeat(String tenant, JsonObject item) {
        return post(tenant, path(item, "heartbeat"), proof(item), 200);
    }

    private void finish(String tenant, JsonObject item, String outcome) {
        post(tenant, path(item, "finish"), proof(item).put("outcome", outcome), 200);
    }

    private static String path(JsonObject item, String what) {
        return "/api/v1/runs/" + item.getJsonObject("run").getString("id") + "/" + what;
    }

    private static JsonObject proof(JsonObject item) {
        return new JsonObject().put("leaseId", item.getString("leaseId")).put("token", item.getLong("token"));
    }

    private String trigger(String tenant, String trigger) {
        return post(tenant, "/api/webhooks/" + trigger, new JsonObject().put("amount", 7), 200)
                .getString("executionId");
    }

    private void ends(String tenant, String id, String status) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(execution(tenant, id).getString("status"))
                        .as(execution(tenant, id).encode())
                        .isEqualTo(status));
    }

    private JsonObject execution(String tenant, String id) {
        return get(tenant, "/api/executions/" + id);
    }

    private static Map<String, String> statusOfNodes(JsonObject execution) {
        return execution.getJsonArray("nodes").stream()
                .map(JsonObject.class::cast)
                .collect(Collectors.toMap(node -> node.getString("node"), node -> node.getString("status")));
    }

    private JsonObject get(String tenant, String path) {
        return checked(server.get(path, key, "X-Tenant", tenant), 200);
    }

    private JsonObject post(String tenant, String path, JsonObject body, int status) {
        return checked(server.post(path, key, body, "X-Tenant", tenant), status);
    }

    private JsonObject checked(HttpResponse<String> answer, int status) {
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
        contract.check(answer);
        return new JsonObject(answer.body());
    }

    private static String tenant() {
        return "t" + UUID.randomUUID();
    }
}
