package io.interlock.server.json;

import io.interlock.LeaseRecord;
import io.interlock.run.Run;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/** Who has a key: {@code runId, holder, since, stage, alive}. */
public final class HolderJson {

    private HolderJson() {}

    /** The holder of {@code lease}; {@code run} is the run under it, if that is known. */
    public static JsonObject of(LeaseRecord lease, @Nullable Run run) {
        JsonObject json = new JsonObject();
        lease.holder().runId().ifPresent(id -> json.put("runId", id.toString()));
        json.put("holder", lease.holder().label()).put("since", JsonTime.of(lease.grantedAt()));
        boolean same =
                run != null && lease.holder().runId().filter(run.id()::equals).isPresent();
        if (run != null && same) {
            run.status().currentStage().ifPresent(stage -> json.put("stage", stage.name()));
        }
        return json.put("alive", lease.isLive());
    }

    /** A run that has the key, or that it is kept for, and has no lease yet. */
    public static JsonObject of(Run run) {
        JsonObject json = new JsonObject().put("runId", run.id().toString());
        run.status()
                .lastTurn()
                .ifPresentOrElse(
                        turn -> json.put("holder", turn.holder().label()).put("since", JsonTime.of(turn.startedAt())),
                        () -> json.put("since", JsonTime.of(run.status().since())));
        run.status().currentStage().ifPresent(stage -> json.put("stage", stage.name()));
        return json.put("alive", true);
    }
}
