package io.interlock.server.compat.ingestion;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.TimeText;
import io.interlock.engine.RunEngine;
import io.interlock.run.KeyView;
import io.interlock.run.Resource;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import io.interlock.run.RunQuery;
import io.interlock.server.compat.CompatKeys;
import io.interlock.server.compat.CompatRuns;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** How the ingestion of an event stands, in the words of this compatible API. */
final class IngestionJson {

    private static final String NONE = Resource.UNTOUCHED;
    private static final String FULL = "laps_full";

    private IngestionJson() {}

    /** How it stands. Blocks. */
    static JsonObject of(RunEngine engine, LockKey key, String event) {
        Optional<Run> under =
                CompatKeys.held(engine, key).flatMap(KeyView::currentRun).filter(run -> run.state() != RunState.QUEUED);
        Optional<Run> open = under.or(() -> unsettled(engine, key));
        Optional<Run> last =
                open.or(() -> newest(engine, RunQuery.ofTenant(key.tenant()).of(key)));
        Depth depth = depth(engine, key);
        return new JsonObject()
                .put("event_id", event)
                .put("ingest_depth", depth.full() ? FULL : NONE)
                .put("last_ingested_at", CompatRuns.time(depth.since()))
                .put("running", open.isPresent())
                .put("stage", last.map(CompatRuns::stage).orElse(null))
                .put("progress", last.map(CompatRuns::progress).orElse(null))
                .put("run_id", last.map(Run::id).map(RunId::toString).orElse(null))
                .put("error", last.map(IngestionJson::error).orElse(null));
    }

    private record Depth(boolean full, Optional<Instant> since) {}

    /**
     * The resource says it: what it was when no run moved it last, so an event that is ingested again, or fails to be, is as complete as
     * it was. Runs are asked only where a job has no transition, or the resource is older than its time: they are forgotten one day.
     */
    private static Depth depth(RunEngine engine, LockKey key) {
        Optional<Resource> event = engine.resource(key);
        boolean full = event.filter(known -> known.settledState().equals(FULL)).isPresent();
        if (full && event.get().settledAt() != null) {
            return new Depth(true, event.get().settledSince());
        }
        Optional<Run> done =
                newest(engine, RunQuery.ofTenant(key.tenant()).of(key).in(RunState.SUCCEEDED));
        return new Depth(full || done.isPresent(), done.flatMap(CompatRuns::endedAt));
    }

    /** Who ingests the event already. Blocks. */
    static JsonObject inProgress(RunEngine engine, LockKey key, String event, Optional<RunId> incumbent) {
        Optional<KeyView> view = CompatKeys.held(engine, key);
        Optional<Run> run = view.flatMap(KeyView::currentRun);
        Optional<Instant> since = view.flatMap(KeyView::currentLease)
                .map(lease -> lease.grantedAt())
                .or(() -> run.map(kept -> kept.status().since()));
        String stage = run.map(CompatRuns::stage).orElse(null);
        return new JsonObject()
                .put(
                        "error",
                        new JsonObject()
                                .put("code", "INGESTION_IN_PROGRESS")
                                .put(
                                        "message",
                                        "Ingestion of event " + event + " is already running"
                                                + (stage == null ? "" : ", at stage " + stage)
                                                + since.map(time -> ", since " + TimeText.format(time))
                                                        .orElse("") + ".")
                                .put(
                                        "details",
                                        new JsonObject()
                                                .put(
                                                        "run_id",
                                                        incumbent
                                                                .or(() -> run.map(Run::id))
                                                                .map(RunId::toString)
                                                                .orElse(null))
                                                .put("stage", stage)
                                                .put("since", CompatRuns.time(since))));
    }

    private static @Nullable JsonObject error(Run run) {
        RunError error = run.status().error();
        if (error == null) {
            return null;
        }
        String code = run.state() == RunState.TIMED_OUT ? "INGESTION_TIMEOUT" : error.code();
        return new JsonObject()
                .put("code", code)
                .put("message", error.message())
                .put("stage", CompatRuns.stage(run));
    }

    /** A run that does not have the key and is not over either: its worker died just now, or it rests before its next attempt. */
    private static Optional<Run> unsettled(RunEngine engine, LockKey key) {
        RunQuery all = RunQuery.ofTenant(key.tenant()).of(key);
        return newest(engine, all.in(RunState.RUNNING))
                .or(() -> engine.list(all.in(RunState.QUEUED)).runs().stream()
                        .filter(run -> run.status().attempts() > 0)
                        .findFirst());
    }

    private static Optional<Run> newest(RunEngine engine, RunQuery query) {
        List<Run> found = engine.list(query.newestFirst().page(0, 1)).runs();
        return found.stream().findFirst();
    }
}
