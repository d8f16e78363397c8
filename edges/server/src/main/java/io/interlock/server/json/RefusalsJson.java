package io.interlock.server.json;

import io.interlock.run.RefusalCount;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** How often starts under a key started nothing new, by the minute, whichever node counted them. */
public final class RefusalsJson {

    private RefusalsJson() {}

    /** Minutes in which there were any, the oldest first. */
    public static JsonArray of(List<RefusalCount> counts) {
        Map<Instant, Map<RefusalCount.Outcome, Long>> minutes = new TreeMap<>();
        for (RefusalCount count : counts) {
            minutes.computeIfAbsent(count.minute(), minute -> new EnumMap<>(RefusalCount.Outcome.class))
                    .merge(count.outcome(), count.count(), Long::sum);
        }
        JsonArray json = new JsonArray();
        minutes.forEach((minute, outcomes) -> json.add(minute(minute, outcomes)));
        return json;
    }

    private static JsonObject minute(Instant minute, Map<RefusalCount.Outcome, Long> outcomes) {
        JsonObject told = new JsonObject();
        outcomes.forEach((outcome, count) -> told.put(outcome.name(), count));
        long all = outcomes.values().stream().mapToLong(Long::longValue).sum();
        return new JsonObject()
                .put("minute", JsonTime.of(minute))
                .put("count", all)
                .put("outcomes", told);
    }
}
