package io.interlock.server;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;

/** Something of a tenant for an operation to be about, made when a row asks for it. Used by one thread. */
final class MatrixTarget {

    private static final String V1 = "/api/v1";
    private static final String KEY = "the/key";

    /** For each operation, a request that its owner is answered. */
    static final Map<String, Function<MatrixTarget, Sent>> ROWS = rows();

    private final String tenant;
    private final Caller caller;
    private final List<String> marks = new ArrayList<>();

    /** Makes requests for the tenant. */
    interface Caller {
        String call(String method, String path, String body);
    }

    /** A request. */
    record Sent(String path, String body) {

        static Sent of(String path) {
            return new Sent(path, "");
        }
    }

    MatrixTarget(String tenant, Caller caller) {
        this.tenant = tenant;
        this.caller = caller;
    }

    String tenant() {
        return tenant;
    }

    /** What a stranger must not see. */
    List<String> marks() {
        return marks;
    }

    /** What can be changed about the tenant. */
    String state() {
        Map<String, Object> all = new TreeMap<>();
        for (String list : List.of("/runs", "/locks", "/keys")) {
            JsonObject page = json("GET", V1 + list + "?limit=200", "");
            page.getJsonArray("items", new JsonArray()).forEach(item -> {
                JsonObject each = (JsonObject) item;
                all.put(
                        list + each.getString("id", each.getString("key")),
                        List.of("state", "token", "expiresAt", "active", "label").stream()
                                .map(field -> String.valueOf(each.getValue(field)))
                                .toList());
            });
            all.put(list, String.valueOf(page.getValue("pauses")));
        }
        return all.toString();
    }

    private static Map<String, Function<MatrixTarget, Sent>> rows() {
        Map<String, Function<MatrixTarget, Sent>> rows = new TreeMap<>();
        rows.put("startRun", on -> new Sent(V1 + "/runs", object("key", unique("new/"), "job", "remote")));
        rows.put("listRuns", on -> Sent.of(V1 + "/runs?limit=5" + on.hide(on.running())));
        rows.put("getRun", on -> Sent.of(V1 + "/runs/" + on.running().getString("id") + "?output=true"));
        rows.put("heartbeat", on -> on.proven("heartbeat", on.running()));
        rows.put("finishRun", on -> on.proven("finish", on.running().put("outcome", "SUCCEEDED")));
        rows.put("takeTurn", on -> new Sent(V1 + "/runs/" + on.queued() + "/claim", object("leaseId", uuid())));
        rows.put("moveToFront", on -> new Sent(V1 + "/runs/" + on.queued() + "/front", object("reason", "x")));
        rows.put("cancelRun", on -> new Sent(V1 + "/runs/" + on.queued() + "/cancel", object("reason", "x")));
        rows.put("rerunRun", on -> new Sent(V1 + "/runs/" + on.dead() + "/rerun", "{}"));
        rows.put("redriveRun", on -> new Sent(V1 + "/runs/" + on.dead() + "/redrive", "{}"));
        rows.put("discardRun", on -> new Sent(V1 + "/runs/" + on.dead() + "/discard", "{}"));
        rows.put("claimWork", on -> new Sent(V1 + "/claims", claim("remote")));
        rows.put("getLine", on -> {
            JsonObject run = on.running();
            return Sent.of(V1 + "/locks/line?limit=5&key=" + run.getString("key") + on.hide(run));
        });
        rows.put("search", on -> {
            JsonObject run = on.running();
            return Sent.of(V1 + "/search?q=" + run.getString("id") + on.hide(run));
        });
        plain(rows, "getSummary /summary");
        plain(rows, "getHistory /history");
        rows.put("getHolds", on -> {
            JsonObject run = on.running();
            return Sent.of(V1 + "/locks/holds?limit=5&key=" + run.getString("key") + on.hide(run));
        });
        rows.put("listLocks", on -> Sent.of(V1 + "/locks?limit=5" + on.hide(on.running())));
        rows.put(
                "acquireLease",
                on -> new Sent(
                        V1 + "/locks/acquire",
                        object("key", unique("new/"), "leaseId", uuid(), "ttl", "4m", "holder", "w")));
        rows.put("renewLease", on -> new Sent(V1 + "/locks/renew", on.lease().encode()));
        rows.put(
                "releaseLease", on -> new Sent(V1 + "/locks/release", on.lease().encode()));
        rows.put("validateToken", on -> {
            JsonObject lease = on.lease();
            return Sent.of(V1 + "/locks/validate?key=" + lease.getString("key") + "&token=" + lease.getLong("token"));
        });
        rows.put("evictLease", on -> {
            JsonObject lease = on.lease();
            lease.remove("leaseId");
            return new Sent(V1 + "/locks/evict", lease.put("reason", "x").encode());
        });
        rows.put("pauseKeys", on -> new Sent(V1 + "/locks/pause", object("key", unique("new/"), "reason", "x")));
        rows.put("resumeKeys", on -> new Sent(V1 + "/locks/resume", object("key", on.paused())));
        rows.put("getResource", on -> Sent.of(V1 + "/resources?key=" + on.resource()));
        rows.put(
                "setResource",
                on -> new Sent(V1 + "/resources", object("key", on.resource(), "state", "READY", "reason", "x")));
        rows.put("listAudit", on -> Sent.of(V1 + "/audit?limit=5" + on.hide(on.running())));
        rows.put("revokeKeyByQuery", on -> Sent.of(V1 + "/keys?id=" + on.key() + "&reason=x"));
        rows.put("revokeKey", on -> Sent.of(V1 + "/keys/" + on.key() + "?reason=x"));
        rows.put("createKey", on -> new Sent(V1 + "/keys", object("role", "read")));
        rows.put("listKeys", on -> Sent.of(V1 + "/keys" + on.hide(new JsonObject().put("id", on.key()))));
        rows.put("signIn", on -> new Sent(V1 + "/session", object("apiKey", on.secret())));
        for (String path : List.of("getConfig /config", "verifyAudit /audit/verify", "listWorkers /workers")) {
            plain(rows, path);
        }
        for (String path : List.of("getJanitor /janitor", "sweepNow /janitor/sweep", "streamEvents /stream")) {
            plain(rows, path);
        }
        for (String path : List.of("listJobs /jobs", "getSession /session", "signOut /session")) {
            plain(rows, path);
        }
        plain(rows, "getJob /jobs/remote");
        plain(rows, "getContract /openapi.json");
        compatible(rows);
        return rows;
    }

    private static void compatible(Map<String, Function<MatrixTarget, Sent>> rows) {
        rows.put("runPipeline", on -> new Sent("/pipelines/run/export", object("trigger_by", "me")));
        rows.put("getPipelineRun", on -> Sent.of("/pipelines/runs/" + on.pipelineRun()));
        rows.put("listPipelineLocks", on -> Sent.of("/pipelines/locks" + on.hide(on.pipelineRun())));
        rows.put("releasePipelineLock", on -> Sent.of("/pipelines/locks/export?reason=x" + on.hide(on.pipelineRun())));
        rows.put("resumeFlow", on -> new Sent("/flows/" + unique("f") + "/resume", object("phase", "readiness")));
        rows.put("getPhaseLock", on -> Sent.of("/debug/locks/" + on.flow() + "/readiness"));
        rows.put("releasePhaseLock", on -> Sent.of("/debug/locks/" + on.flow() + "/readiness?reason=x"));
        rows.put("ingestEvent", on -> new Sent("/api/v1/events/" + unique("e") + "/ingest", "{}"));
        rows.put(
                "ingestSourceEvent",
                on -> new Sent("/api/v1/events/ingest", object("source_event_id", unique("s"), "track_id", "1")));
        rows.put("getIngestion", on -> Sent.of("/api/v1/events/" + on.event() + "/ingestion"));
        rows.put("triggerWorkflow", on -> new Sent("/api/webhooks/paid", object("eventId", unique("evt"))));
        rows.put("getWorkflowLock", on -> Sent.of("/api/workflows/invoice/lock" + on.hide(on.execution())));
        rows.put(
                "releaseWorkflowLock", on -> Sent.of("/api/workflows/invoice/lock?reason=x" + on.hide(on.execution())));
        rows.put("cleanWorkflowLocks", on -> Sent.of("/api/workflows/locks/cleanup"));
        rows.put("getExecution", on -> Sent.of("/api/executions/" + on.execution()));
        rows.put(
                "abortExecution",
                on -> new Sent("/api/executions/" + on.execution() + "/abort", object("reason", "x")));
        rows.put(
                "createCluster",
                on -> new Sent(
                        "/clusters", object("name", unique("c"), "platform", "aws", "base_domain", "example.com")));
        rows.put("getCluster", on -> Sent.of("/clusters/" + on.cluster().getString("id")));
        rows.put(
                "startClusterJob",
                on -> new Sent("/clusters/" + on.cluster().getString("id") + "/jobs", object("type", "INSPECT")));
        rows.put("listDeadClusterJobs", on -> Sent.of("/jobs/dead-letters"));
        rows.put("getClusterJob", on -> Sent.of("/jobs/" + on.cluster().getString("job_id")));
    }

    private static void plain(Map<String, Function<MatrixTarget, Sent>> rows, String operation) {
        String[] words = operation.split(" ", 2);
        rows.put(words[0], on -> Sent.of(V1 + words[1]));
    }

    private JsonObject running() {
        JsonObject run = json(
                "POST",
                V1 + "/runs",
                object("key", unique(KEY), "execution", "caller", "lease", "4m", "reason", unique("hidden-")));
        marks.add(run.getString("leaseId"));
        return new JsonObject()
                .put("id", run.getString("id"))
                .put("key", run.getString("key"))
                .put("leaseId", run.getString("leaseId"))
                .put("token", run.getLong("token"));
    }

    private Sent proven(String verb, JsonObject run) {
        JsonObject body = run.copy();
        body.remove("key");
        return new Sent(V1 + "/runs/" + body.remove("id") + "/" + verb, body.encode());
    }

    private String queued() {
        String key = running().getString("key");
        String order = object("key", key, "execution", "caller", "onConflict", "QUEUE");
        return json("POST", V1 + "/runs", order).getString("id");
    }

    private String dead() {
        String order = object("key", unique(KEY), "job", "flaky", "reason", unique("hidden-"));
        String id = json("POST", V1 + "/runs", order).getString("id");
        while (!json("GET", V1 + "/runs/" + id, "").getString("state").equals("DEAD")) {
            // Others of the job, such as one that was redriven, may come first.
            json("POST", V1 + "/claims", claim("flaky")).getJsonArray("items").forEach(item -> {
                JsonObject claimed = (JsonObject) item;
                Sent end = proven(
                        "finish",
                        new JsonObject()
                                .put("id", claimed.getJsonObject("run").getString("id"))
                                .put("leaseId", claimed.getString("leaseId"))
                                .put("token", claimed.getLong("token"))
                                .put("outcome", "FAILED"));
                json("POST", end.path(), end.body());
            });
        }
        return id;
    }

    private static String claim(String job) {
        return new JsonObject(object("claimId", uuid(), "worker", "w"))
                .put("jobs", new JsonArray().add(job))
                .put("max", 1)
                .encode();
    }

    private JsonObject lease() {
        String key = unique(KEY);
        String id = uuid();
        JsonObject lease = json(
                "POST",
                V1 + "/locks/acquire",
                object("key", key, "leaseId", id, "ttl", "4m", "holder", unique("hidden-")));
        return new JsonObject().put("key", key).put("leaseId", id).put("token", lease.getLong("token"));
    }

    private String paused() {
        String key = unique(KEY);
        caller.call("POST", V1 + "/locks/pause", object("key", key, "reason", unique("hidden-")));
        return key;
    }

    private String resource() {
        JsonObject cluster = cluster();
        // Its state is set only while its key is free.
        json("POST", V1 + "/runs/" + cluster.getString("job_id") + "/cancel", object("reason", "x"));
        return "cluster/" + cluster.getString("id");
    }

    private String key() {
        return json("POST", V1 + "/keys", object("role", "read", "label", unique("hidden-")))
                .getString("id");
    }

    private String secret() {
        return json("POST", V1 + "/keys", object("role", "read")).getString("apiKey");
    }

    private String pipelineRun() {
        return json("POST", "/pipelines/run/export", object("trigger_by", unique("hidden-")))
                .getString("pipeline_logging_id");
    }

    private String flow() {
        String flow = unique("f");
        hide(json("POST", "/flows/" + flow + "/resume", object("phase", "readiness"))
                .encode());
        return flow;
    }

    private String event() {
        String event = unique("e");
        json("POST", "/api/v1/events/" + event + "/ingest", "{}");
        return event;
    }

    private String execution() {
        return json("POST", "/api/webhooks/paid", object("eventId", unique("evt")))
                .getString("executionId");
    }

    private JsonObject cluster() {
        return json(
                "POST",
                "/clusters",
                object("name", unique("c"), "platform", "aws", "base_domain", unique("hidden-") + ".example"));
    }

    /** Has {@code text} looked for in what strangers are answered; nothing of it is in the request. */
    private String hide(String text) {
        marks.add(text);
        return "";
    }

    private String hide(JsonObject made) {
        return hide(made.getString("id"));
    }

    private JsonObject json(String method, String path, String body) {
        return new JsonObject(caller.call(method, path, body));
    }

    private static String object(String... pairs) {
        JsonObject object = new JsonObject();
        for (int i = 0; i < pairs.length; i += 2) {
            object.put(pairs[i], pairs[i + 1]);
        }
        return object.encode();
    }

    private static String unique(String prefix) {
        return prefix + uuid().replace("-", "").substring(0, 12);
    }

    private static String uuid() {
        return UUID.randomUUID().toString();
    }
}
