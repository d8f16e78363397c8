package io.interlock.server.compat.clusters;

import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunRefusal;
import io.interlock.engine.Submission;
import io.interlock.server.api.Reply;
import io.interlock.server.problem.Refusals;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;

/** What is answered with 409 in a way of this compatible API's own. */
final class ClusterConflicts {

    private ClusterConflicts() {}

    /** Another cluster has the name. */
    static Reply twin(Cluster twin) {
        return conflict(new JsonObject()
                .put("code", "CLUSTER_EXISTS")
                .put(
                        "message",
                        "Cluster " + twin.id() + " has this name, platform and base domain and is " + twin.status()
                                + "; destroy it first.")
                .put("cluster_id", twin.id().toString())
                .put("state", twin.status()));
    }

    /** The id that was asked for is that of another cluster. */
    static Reply taken(Cluster other) {
        return conflict(new JsonObject()
                .put("code", "CLUSTER_EXISTS")
                .put(
                        "message",
                        "There is a cluster with the id " + other.id() + ", which is " + other.status()
                                + "; choose another id, or leave it out.")
                .put("cluster_id", other.id().text())
                .put("state", other.status()));
    }

    /** Why {@code answer} started nothing, if this compatible API has words of its own for it. */
    static Optional<Reply> of(Submission answer, Refusal refusal) {
        if (refusal instanceof RunRefusal.WrongState wrong) {
            return Optional.of(conflict(new JsonObject()
                    .put("code", ClusterJson.INVALID_STATE)
                    .put("message", Refusals.sentence(refusal))
                    .put("state", wrong.state())
                    .put(
                            "allowed",
                            new JsonArray(
                                    new TreeSet<>(wrong.allowed()).stream().toList()))));
        }
        if (answer.incumbent().isPresent() || refusal instanceof Refusal.Held) {
            return Optional.of(conflict(new JsonObject()
                    .put("code", "LOCK_HELD_BY_OTHER_WORKER")
                    .put("message", Refusals.sentence(refusal))
                    .put("job_id", answer.incumbent().map(RunId::toString).orElse(null))));
        }
        return Optional.empty();
    }

    private static Reply conflict(JsonObject error) {
        return new Reply(409, new JsonObject().put("error", error), Map.of(), null);
    }
}
