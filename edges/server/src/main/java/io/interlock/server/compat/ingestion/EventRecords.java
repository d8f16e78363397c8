package io.interlock.server.compat.ingestion;

import io.interlock.Actor;
import io.interlock.LockKey;
import io.interlock.engine.RunEngine;
import io.interlock.run.Resource;
import io.interlock.run.ResourceAnswer;
import io.vertx.core.json.JsonObject;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Which event came from which source event. The resource of a source event says which event it became; it is set once, so of many
 * who want one created one creates it, and all get the same. All methods block.
 */
final class EventRecords {

    private final RunEngine engine;
    private final RandomGenerator random;

    EventRecords(RunEngine engine, RandomGenerator random) {
        this.engine = engine;
        this.random = random;
    }

    /** The event that {@code source} became; created if there is none. */
    String eventOf(String tenant, String source, String track, Actor actor) {
        LockKey key = LockKey.of(tenant, "source-event/" + source);
        Optional<Resource> known = engine.resource(key);
        if (known.isPresent()) {
            return known.get().state();
        }
        String event = new UUID(random.nextLong(), random.nextLong()).toString();
        String origin = new JsonObject()
                .put("source_event_id", source)
                .put("track_id", track)
                .encode();
        // Where it comes from is there before anybody can find it.
        engine.setResource(originKey(tenant, event), "event-origin", origin, 0, actor, "created");
        ResourceAnswer answer = engine.setResource(key, "source-event", event, 0, actor, "created");
        return answer instanceof ResourceAnswer.Changed
                ? event
                : ((ResourceAnswer.Mismatch) answer).current().orElseThrow().state();
    }

    /** What is known about where an event comes from; empty for one that was not created here. */
    JsonObject origin(String tenant, String event) {
        return engine.resource(originKey(tenant, event))
                .map(origin -> new JsonObject(origin.state()))
                .orElseGet(JsonObject::new);
    }

    private static LockKey originKey(String tenant, String event) {
        return LockKey.of(tenant, "event-origin/" + event);
    }
}
