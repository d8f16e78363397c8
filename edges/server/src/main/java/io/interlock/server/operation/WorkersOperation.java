package io.interlock.server.operation;

import io.interlock.RunState;
import io.interlock.engine.EngineQueries;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.run.WorkerNote;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.json.JsonTime;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

/**
 * {@code listWorkers}: processes that take work of the caller's tenant, engines and those that ask through one, and which of the
 * tenant's runs they do.
 */
final class WorkersOperation {

    /** For how long a worker that said nothing is still shown. */
    private static final Duration SHOWN = Duration.ofHours(1);

    /** For how long a worker that said nothing, and has nothing to do, counts as alive. */
    private static final Duration ALIVE = Duration.ofMinutes(1);

    private final OperationContext context;

    WorkersOperation(OperationContext context) {
        this.context = context;
    }

    CompletionStage<Reply> list(Call call) {
        return context.blocking().call(call.tenant(), () -> {
            EngineQueries records = context.engine().queries();
            List<WorkerNote> notes = records.workers(call.tenant(), SHOWN, RunQuery.MAX_LIMIT);
            // The clock that says when they were seen.
            Instant now = records.time();
            Map<String, List<Run>> running = running(call.tenant());
            JsonArray items = new JsonArray();
            notes.stream()
                    .sorted(Comparator.comparing(note -> note.worker().instance()))
                    .forEach(note -> items.add(
                            worker(note, running.getOrDefault(note.worker().instance(), List.of()), now)));
            return Reply.ok(new JsonObject().put("items", items));
        });
    }

    /** Who does what for {@code tenant}. */
    private Map<String, List<Run>> running(String tenant) {
        RunQuery query = RunQuery.ofTenant(tenant).in(RunState.RUNNING).page(0, RunQuery.MAX_LIMIT);
        return context.engine().list(query).runs().stream()
                .filter(run -> run.status().turn() != null)
                .collect(Collectors.groupingBy(
                        run -> run.status().lastTurn().orElseThrow().holder().instance()));
    }

    private static JsonObject worker(WorkerNote note, List<Run> running, Instant now) {
        JsonArray jobs = new JsonArray();
        note.jobs().stream().sorted().forEach(job -> jobs.add(job.value()));
        JsonArray runs = new JsonArray();
        running.forEach(run -> runs.add(new JsonObject()
                .put("id", run.id().toString())
                .put("key", run.key().name())
                .put("job", run.job().value())));
        // Who has a run has its lease renewed, also if that takes so long that it asks for no other.
        boolean alive = note.seenAt().plus(ALIVE).isAfter(now) || !running.isEmpty();
        return new JsonObject()
                .put("worker", note.worker().label())
                .put("remote", note.isRemote())
                .put("jobs", jobs)
                .put("slots", note.slots())
                .put("busy", note.isRemote() ? running.size() : note.busy())
                .put("runs", runs)
                .put("version", note.version())
                .put("seenAt", JsonTime.of(note.seenAt()))
                .put("alive", alive);
    }
}
