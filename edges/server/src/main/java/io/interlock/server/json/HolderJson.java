package io.interlock.server.json;

import io.interlock.LeaseRecord;
import io.interlock.RunId;
import io.interlock.run.Run;
import io.interlock.run.Stage;
import io.interlock.run.Turn;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Who has a key: {@code runId, holder, since, stage, alive}, all of them always; what nobody knows is {@code null}. */
public final class HolderJson {

    private HolderJson() {}

    /** The holder of {@code lease}; {@code run} is the run under it, if that is known. */
    public static JsonObject of(LeaseRecord lease, @Nullable Run run) {
        boolean same =
                run != null && lease.holder().runId().filter(run.id()::equals).isPresent();
        return new JsonObject()
                .put("runId", lease.holder().runId().map(RunId::toString).orElse(null))
                .put("holder", lease.holder().label())
                .put("since", JsonTime.of(lease.grantedAt()))
                .put("stage", run != null && same ? stage(run) : null)
                .put("alive", lease.isLive());
    }

    /** A run that has the key, or that it is kept for, and has no lease yet. */
    public static JsonObject of(Run run) {
        Optional<Turn> turn = run.status().lastTurn();
        return new JsonObject()
                .put("runId", run.id().toString())
                .put("holder", turn.map(last -> last.holder().label()).orElse(null))
                .put(
                        "since",
                        JsonTime.of(turn.map(Turn::startedAt)
                                .orElseGet(() -> run.status().since())))
                .put("stage", stage(run))
                .put("alive", true);
    }

    /** A run of which nothing is known but its name and, perhaps, since when it is next. */
    public static JsonObject of(RunId run, @Nullable Instant since) {
        return new JsonObject()
                .put("runId", run.toString())
                .putNull("holder")
                .put("since", since == null ? null : JsonTime.of(since))
                .putNull("stage")
                .put("alive", true);
    }

    private static @Nullable String stage(Run run) {
        return run.status().currentStage().map(Stage::name).orElse(null);
    }
}
