package io.interlock.server.json;

import io.interlock.run.Pause;
import io.vertx.core.json.JsonObject;

/** A pause in JSON. */
public final class PauseJson {

    private PauseJson() {}

    /** {@code pause}, and whether it is in force. */
    public static JsonObject of(Pause pause, boolean paused) {
        JsonObject json = new JsonObject()
                .put(pause.pattern().endsWith("*") ? "pattern" : "key", pause.pattern())
                .put("paused", paused)
                .put("pausedBy", pause.actor())
                .put("reason", pause.reason())
                .put("since", JsonTime.of(pause.since()));
        pause.end().ifPresent(end -> json.put("until", JsonTime.of(end)));
        return json;
    }
}
