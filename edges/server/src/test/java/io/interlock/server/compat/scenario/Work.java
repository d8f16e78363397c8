package io.interlock.server.compat.scenario;

import io.interlock.server.EngineRig.Answer;
import io.vertx.core.json.JsonObject;

/** A run in the hands of a worker that speaks HTTP. */
final class Work {

    private final Caller caller;
    private final JsonObject item;

    Work(Caller caller, JsonObject item) {
        this.caller = caller;
        this.item = item;
    }

    String run() {
        return item.getJsonObject("run").getString("id");
    }

    JsonObject parameters() {
        return item.getJsonObject("parameters");
    }

    Answer heartbeat() {
        return say("heartbeat", proof());
    }

    Answer reports(String stage, int done, int total) {
        return say(
                        "heartbeat",
                        proof().put("stage", stage)
                                .put(
                                        "progress",
                                        new JsonObject().put("done", done).put("total", total)))
                .is(200);
    }

    Answer succeeds() {
        return ends("SUCCEEDED").is(200);
    }

    Answer fails(String why) {
        return say(
                        "finish",
                        proof().put("outcome", "FAILED")
                                .put(
                                        "error",
                                        new JsonObject().put("code", "BROKEN").put("message", why)))
                .is(200);
    }

    /** Whatever comes of it. */
    Answer ends(String outcome) {
        return say("finish", proof().put("outcome", outcome));
    }

    private JsonObject proof() {
        return new JsonObject().put("leaseId", item.getString("leaseId")).put("token", item.getLong("token"));
    }

    private Answer say(String what, JsonObject body) {
        return caller.post("/api/v1/runs/" + run() + "/" + what, body.encode());
    }
}
