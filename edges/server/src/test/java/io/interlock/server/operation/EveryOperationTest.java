package io.interlock.server.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.LockKey;
import io.interlock.access.Role;
import io.interlock.server.EngineRig;
import io.interlock.server.EngineRig.Answer;
import io.interlock.server.ServedTest;
import io.interlock.server.YamlResource;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Walks the OpenAPI document over a real engine on every store: the owner of its subject calls every operation, and none blocks an event
 * loop. Who may call what is the subject of {@link io.interlock.server.MatrixTest}.
 */
@MethodSource("io.interlock.server.TestStore#others")
class EveryOperationTest extends ServedTest {

    /** Of another part of the server, or without an end. */
    private static final Set<String> ELSEWHERE =
            Set.of("listKeys", "createKey", "revokeKey", "revokeKeyByQuery", "getConfig", "streamEvents");

    private static final String CLAIM = EngineRig.uuid();

    @BeforeParameterizedClassInvocation
    void makeResource() {
        rig.engine.setResource(key("secret-cluster"), "cluster", "READY", 0, "test", "made");
    }

    @Test
    void everyOperationAnswersItsOwnerAsTheDocumentSays() {
        String admin = rig.key(Role.ADMIN);
        for (Operation operation : operations()) {
            if (!ELSEWHERE.contains(operation.id)) {
                Answer answer = call(operation, admin, facts());
                assertThat(answer.status())
                        .as("%s: %s", operation.id, answer.response().body())
                        .isBetween(200, 299);
            }
        }
        Set<String> answered = rig.contract.seen().stream()
                .filter(seen -> seen.matches(".* 2\\d\\d"))
                .map(seen -> seen.split(" ", -1)[0])
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> expected = operations().stream().map(Operation::id).collect(Collectors.toCollection(TreeSet::new));
        expected.removeAll(ELSEWHERE);
        assertThat(answered).containsAll(expected);
    }

    private record Operation(String id, String method, String path) {}

    private static List<Operation> operations() {
        List<Operation> all = new ArrayList<>();
        YamlResource.object("openapi.yaml")
                .getJsonObject("paths")
                .forEach(path -> ((JsonObject) path.getValue())
                        .forEach(method -> all.add(new Operation(
                                ((JsonObject) method.getValue()).getString("operationId"),
                                method.getKey(),
                                path.getKey()))));
        return all;
    }

    /** A run under way, a dead one, a line, a lease, a pause: something for every operation to be about. */
    private Map<String, String> facts() {
        String key = "secret/" + EngineRig.uuid();
        Answer run = rig.post(
                        "/runs",
                        Role.WORKER,
                        "{\"key\": \"" + key + "\", \"execution\": \"caller\", \"reason\": \"secret-reason\"}")
                .is(201);
        rig.post("/runs/" + run.text("id") + "/heartbeat", Role.WORKER, """
                {"leaseId": "%s", "token": %d, "stage": "secret-stage"}
                """.formatted(
                                run.text("leaseId"), run.number("token")))
                .is(200);
        String queued = rig.post(
                        "/runs",
                        Role.WORKER,
                        "{\"key\": \"" + key + "\", \"execution\": \"caller\", \"onConflict\": \"QUEUE\"}")
                .is(202)
                .text("id");
        String bare = "secret/" + EngineRig.uuid();
        String leaseId = EngineRig.uuid();
        Answer lease = rig.post("/locks/acquire", Role.WORKER, """
                {"key": "%s", "leaseId": "%s", "ttl": "60s", "holder": "secret-worker"}
                """.formatted(bare, leaseId))
                .is(200);
        rig.post("/locks/pause", Role.OPERATOR, "{\"key\": \"" + bare + "\", \"reason\": \"secret-reason\"}")
                .is(200);
        return Map.ofEntries(
                Map.entry("run", run.text("id")),
                Map.entry("key", key),
                Map.entry("leaseId", run.text("leaseId")),
                Map.entry("token", Long.toString(run.number("token"))),
                Map.entry("holder", run.text("leaseId")),
                Map.entry("queued", queued),
                Map.entry("dead", dead()),
                Map.entry("dead2", dead()),
                Map.entry("bare", bare),
                Map.entry("bareLease", leaseId),
                Map.entry("bareToken", Long.toString(lease.number("token"))));
    }

    private String dead() {
        String key = "secret/" + EngineRig.uuid();
        String id = rig.post("/runs", Role.TRIGGER, "{\"key\": \"" + key + "\", \"job\": \"flaky\"}")
                .is(201)
                .text("id");
        // Others of the same job, such as one that was redriven, may come first.
        while (!rig.get("/runs/" + id, Role.READ).text("state").equals("DEAD")) {
            JsonObject item = rig.post("/claims", Role.WORKER, """
                    {"claimId": "%s", "worker": "w", "jobs": ["flaky"], "max": 1, "wait": "10s"}
                    """.formatted(EngineRig.uuid()))
                    .is(200)
                    .json()
                    .getJsonArray("items")
                    .getJsonObject(0);
            rig.post("/runs/" + item.getJsonObject("run").getString("id") + "/finish", Role.WORKER, """
                    {"leaseId": "%s", "token": %d, "outcome": "FAILED"}
                    """.formatted(
                                    item.getString("leaseId"), item.getLong("token")))
                    .is(200);
        }
        return id;
    }

    private Answer call(Operation operation, String key, Map<String, String> facts) {
        String proof = "\"leaseId\": \"" + facts.get("leaseId") + "\", \"token\": " + facts.get("token");
        String held = "\"key\": \"" + facts.get("bare") + "\", \"leaseId\": \"" + facts.get("bareLease")
                + "\", \"token\": " + facts.get("bareToken");
        String run = "/runs/" + facts.get("run");
        return switch (operation.id) {
            case "startRun" ->
                rig.post("/runs", key, "{\"key\": \"new/" + EngineRig.uuid() + "\", \"job\": \"remote\"}");
            case "listRuns" -> rig.get("/runs?key=" + facts.get("key"), key);
            case "getRun" -> rig.get(run + "?output=true", key);
            case "heartbeat" -> rig.post(run + "/heartbeat", key, "{" + proof + "}");
            case "finishRun" -> rig.post(run + "/finish", key, "{" + proof + ", \"outcome\": \"SUCCEEDED\"}");
            case "takeTurn" ->
                rig.post("/runs/" + facts.get("queued") + "/claim", key, "{\"leaseId\": \"" + EngineRig.uuid() + "\"}");
            case "moveToFront" -> rig.post("/runs/" + facts.get("queued") + "/front", key, "{\"reason\": \"x\"}");
            case "cancelRun" -> rig.post("/runs/" + facts.get("queued") + "/cancel", key, "{\"reason\": \"x\"}");
            case "rerunRun" -> rig.post("/runs/" + facts.get("dead") + "/rerun", key, "{}");
            case "redriveRun" -> rig.post("/runs/" + facts.get("dead") + "/redrive", key, "{}");
            case "discardRun" -> rig.post("/runs/" + facts.get("dead2") + "/discard", key, "{}");
            case "claimWork" ->
                rig.post(
                        "/claims",
                        key,
                        "{\"claimId\": \"" + CLAIM + "\", \"worker\": \"w\", \"jobs\": [\"joined\"], \"max\": 1}");
            case "getLine" -> rig.get("/locks/line?key=" + facts.get("key"), key);
            case "search" -> rig.get("/search?q=" + facts.get("key"), key);
            case "getHistory" -> rig.get("/history?window=24h", key);
            case "getHolds" -> rig.get("/locks/holds?key=" + facts.get("key"), key);
            case "getSummary" -> rig.get("/summary", key);
            case "listLocks" -> rig.get("/locks?key=" + facts.get("key"), key);
            case "acquireLease" ->
                rig.post(
                        "/locks/acquire",
                        key,
                        "{\"key\": \"new/" + EngineRig.uuid() + "\", \"leaseId\": \"" + EngineRig.uuid()
                                + "\", \"ttl\": \"30s\", \"holder\": \"w\"}");
            case "renewLease" -> rig.post("/locks/renew", key, "{" + held + "}");
            case "releaseLease" -> rig.post("/locks/release", key, "{" + held + "}");
            case "validateToken" ->
                rig.get("/locks/validate?key=" + facts.get("key") + "&token=" + facts.get("token"), key);
            case "evictLease" ->
                rig.post(
                        "/locks/evict",
                        key,
                        "{\"key\": \"" + facts.get("key") + "\", \"token\": " + facts.get("token")
                                + ", \"reason\": \"x\"}");
            case "pauseKeys" -> rig.post("/locks/pause", key, "{\"pattern\": \"elsewhere/*\", \"reason\": \"x\"}");
            case "resumeKeys" -> rig.post("/locks/resume", key, "{\"key\": \"" + facts.get("bare") + "\"}");
            case "getResource" -> rig.get("/resources?key=secret-cluster", key);
            case "setResource" ->
                rig.put(
                        "/resources",
                        key,
                        "{\"key\": \"secret-cluster\", \"state\": \"READY\", \"reason\": \"secret-reason\"}");
            case "listAudit" -> rig.get("/audit?run=" + facts.get("run"), key);
            case "verifyAudit" -> rig.get("/audit/verify", key);
            case "sweepNow" -> rig.post("/janitor/sweep", key, "");
            case "listWorkers" -> rig.get("/workers", key);
            case "getJanitor" -> rig.get("/janitor", key);
            case "listJobs" -> rig.get("/jobs", key);
            case "getJob" -> rig.get("/jobs/remote", key);
            case "getSession" -> rig.get("/session", key);
            case "signIn" -> rig.post("/session", (String) null, "{\"apiKey\": \"" + key + "\"}");
            case "signOut" -> rig.send(rig.request("/session", null).DELETE().build());
            case "getContract" -> rig.get("/openapi.json", (String) null);
            default -> throw new AssertionError("no request here for " + operation.id + " at " + operation.path);
        };
    }

    private static LockKey key(String name) {
        return LockKey.of(EngineRig.TENANT, name);
    }
}
