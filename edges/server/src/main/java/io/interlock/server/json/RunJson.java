package io.interlock.server.json;

import io.interlock.LeaseRecord;
import io.interlock.run.Attempt;
import io.interlock.run.Disposition;
import io.interlock.run.Progress;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunStatus;
import io.interlock.run.Stage;
import io.interlock.run.Turn;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A run in JSON. The lease id is a secret of whoever works, and is only in {@link #granted}. */
public final class RunJson {

    private RunJson() {}

    /** As it stands. */
    public static JsonObject of(Run run) {
        return of(run, run.explanation());
    }

    /** As it stands, with a sentence that knows more than the run itself. */
    public static JsonObject of(Run run, String explanation) {
        RunStatus status = run.status();
        JsonObject json = new JsonObject()
                .put("id", run.id().toString())
                .put("key", run.key().name())
                .put("job", run.job().value())
                .put("state", run.state().name())
                .put("stage", status.currentStage().map(Stage::name).orElse(null))
                .put("progress", status.progress().equals(Progress.NONE) ? null : progress(status.progress()))
                .put("attempt", status.attempts())
                .put("maxAttempts", run.spec().retry().attempts())
                .put("priority", run.spec().priority());
        status.lastTurn()
                .ifPresent(turn -> json.put("token", turn.token().value())
                        .put("holder", turn.holder().label()));
        json.put("submittedAt", JsonTime.of(run.submittedAt()));
        status.lastTurn().ifPresent(turn -> json.put("startedAt", JsonTime.of(turn.startedAt())));
        if (run.state().isTerminal()) {
            json.put("endedAt", JsonTime.of(status.since()))
                    .put("outcome", run.state().name());
        }
        if (status.error() != null) {
            json.put("error", error(status.error()));
        }
        String reason = run.spec().origin().reason();
        return json.put("labels", labels(run))
                .put("reason", reason == null ? "" : reason)
                .put("explanation", explanation);
    }

    /** {@code json}, for whoever does the work under {@code lease}. */
    public static JsonObject granted(JsonObject json, LeaseRecord lease, Duration ttl) {
        return json.put("token", lease.token().value())
                .put("leaseId", lease.id().toString())
                .put("expiresAt", JsonTime.of(lease.expiresAt()))
                .put("heartbeatEvery", JsonTime.of(ttl.dividedBy(3)));
    }

    /** {@code json} of a run under {@code lease}, with what its heartbeats tell: when the last one came, and until when it lives. */
    public static JsonObject beating(JsonObject json, LeaseRecord lease, Duration ttl) {
        // A heartbeat renews by the whole ttl, so where the lease ends says when the last one came.
        Instant renewed = lease.expiresAt().minus(ttl);
        return json.put("heartbeatAt", JsonTime.of(renewed.isBefore(lease.grantedAt()) ? lease.grantedAt() : renewed))
                .put("heartbeatEvery", JsonTime.of(ttl.dividedBy(3)))
                .put("expiresAt", JsonTime.of(lease.expiresAt()));
    }

    /** {@code json} of a dead run, with what somebody did about it. */
    public static JsonObject settled(JsonObject json, Disposition done) {
        JsonObject told = new JsonObject()
                .put("kind", done.kind().name().toLowerCase(Locale.ROOT))
                .put("actor", done.actor())
                .put("reason", done.reason())
                .put("at", JsonTime.of(done.at()));
        done.newRun().ifPresent(run -> told.put("newRun", run.toString()));
        return json.put("settled", told);
    }

    /** {@code json}, with what only whoever looks at one run is shown. */
    public static JsonObject detailed(JsonObject json, Run run, List<Attempt> ended, @Nullable String output) {
        JsonArray attempts = new JsonArray();
        ended.forEach(attempt -> attempts.add(attempt(attempt)));
        boolean underWay = !run.state().isTerminal() && run.status().attempts() > ended.size();
        run.status().lastTurn().filter(turn -> underWay).ifPresent(turn -> attempts.add(turn(turn)));
        JsonArray stages = new JsonArray();
        run.status()
                .stages()
                .forEach(stage -> stages.add(
                        new JsonObject().put("name", stage.name()).put("since", JsonTime.of(stage.since()))));
        json.put("attempts", attempts)
                .put("stages", stages)
                .put("execution", run.spec().execution().name().toLowerCase(Locale.ROOT))
                .put("onConflict", run.spec().policy().name())
                .put("submittedBy", run.spec().origin().submitter())
                .put("parameters", Json.decodeValue(run.spec().parameters()));
        if (run.status().result() != null) {
            json.put("result", Json.decodeValue(run.status().result()));
        }
        String trace = run.spec().origin().trace();
        if (trace != null) {
            json.put("traceparent", trace);
        }
        return output == null ? json : json.put("output", output);
    }

    static JsonObject progress(Progress progress) {
        return new JsonObject().put("done", progress.done()).put("total", progress.total());
    }

    private static JsonObject attempt(Attempt attempt) {
        JsonObject json = turn(attempt.turn())
                .put("endedAt", JsonTime.of(attempt.endedAt()))
                .put("next", attempt.next().name());
        return attempt.error() == null ? json : json.put("error", error(attempt.error()));
    }

    private static JsonObject turn(Turn turn) {
        return new JsonObject()
                .put("attempt", turn.attempt())
                .put("holder", turn.holder().label())
                .put("token", turn.token().value())
                .put("startedAt", JsonTime.of(turn.startedAt()));
    }

    private static JsonObject error(RunError error) {
        return new JsonObject().put("code", error.code()).put("message", error.message());
    }

    private static JsonObject labels(Run run) {
        JsonObject json = new JsonObject();
        new TreeMap<>(run.spec().labels()).forEach(json::put);
        return json;
    }
}
