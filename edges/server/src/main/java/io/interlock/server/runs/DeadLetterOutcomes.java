package io.interlock.server.runs;

import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.engine.RunEngine;
import io.interlock.run.DeadLetter;
import io.interlock.run.DeadLetterQuery;
import io.interlock.run.Disposition;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.server.json.RunJson;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** What was done about dead letters, looked up for as many runs as are shown together. Blocks. */
final class DeadLetterOutcomes {

    private final RunEngine engine;

    DeadLetterOutcomes(RunEngine engine) {
        this.engine = engine;
    }

    /** In JSON, with what was done about those that are dead. */
    List<JsonObject> shown(String tenant, List<Run> runs) {
        Map<RunId, Disposition> done = of(tenant, runs);
        return runs.stream()
                .map(run -> done.containsKey(run.id())
                        ? RunJson.settled(RunJson.of(run), done.get(run.id()))
                        : RunJson.of(run))
                .toList();
    }

    /** What was done about each of {@code runs} that is dead, and about which anything was. */
    Map<RunId, Disposition> of(String tenant, List<Run> runs) {
        Map<RunId, Disposition> done = new HashMap<>();
        if (numbers(runs).findAny().isEmpty()) {
            return done;
        }
        long after = numbers(runs).min().getAsLong() - 1;
        long last = numbers(runs).max().getAsLong();
        while (after < last) {
            // Letters come in the order of their runs' numbers, so those of one page of runs lie together.
            List<DeadLetter> letters =
                    engine.deadLetters().list(new DeadLetterQuery(tenant, null, false, after, limit(runs)));
            letters.forEach(letter -> letter.settled()
                    .ifPresent(disposition -> done.put(letter.run().id(), disposition)));
            after = letters.isEmpty()
                    ? last
                    : letters.get(letters.size() - 1).run().number();
        }
        return done;
    }

    private static int limit(List<Run> runs) {
        return runs.size() == 1 ? 1 : RunQuery.MAX_LIMIT;
    }

    private static LongStream numbers(List<Run> runs) {
        return runs.stream().filter(run -> run.state() == RunState.DEAD).mapToLong(Run::number);
    }
}
