package io.interlock.server.operation;

import io.interlock.LockKey;
import io.interlock.engine.Job;
import io.interlock.engine.SweepRound;
import io.interlock.run.JobName;
import io.interlock.run.Resource;
import io.interlock.run.SweepAction;
import io.interlock.server.api.Call;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.api.Workbench;
import io.interlock.server.json.JsonTime;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** What goes on in the house: {@code getResource}, {@code listAudit}, {@code listWorkers}, {@code getJanitor}, {@code listJobs}. */
public final class HouseOperations {

    private final Workbench bench;
    private final Function<JobName, String> doors;

    private HouseOperations(Workbench bench, Function<JobName, String> doors) {
        this.bench = bench;
        this.doors = doors;
    }

    /**
     * Adds them to {@code operations}.
     *
     * @param doors the door through which a job is started, {@code none} if it has none
     */
    public static void addTo(Operations operations, Workbench bench, Function<JobName, String> doors) {
        HouseOperations house = new HouseOperations(bench, doors);
        CareOperations care = new CareOperations(bench);
        operations
                .on("getResource", house::resource)
                .on("listAudit", new AuditOperation(bench)::list)
                .on("verifyAudit", care::verifyAudit)
                .on("sweepNow", care::sweepNow)
                .on("listWorkers", new WorkersOperation(bench)::list)
                .on("getJanitor", house::janitor)
                .on("listJobs", house::jobs);
    }

    private CompletionStage<Reply> resource(Call call) {
        LockKey key = call.keyParameter("key").orElseThrow();
        return bench.blocking().call(() -> {
            Resource resource = bench.engine()
                    .resource(key)
                    .orElseThrow(() -> Call.notFound("resource", key.name()).thrown());
            JsonObject json = new JsonObject()
                    .put("key", key.name())
                    .put("kind", resource.kind())
                    .put("state", resource.state())
                    .put("version", resource.version());
            resource.owningRun().ifPresent(run -> json.put("owner", run.toString()));
            return Reply.ok(json);
        });
    }

    private CompletionStage<Reply> janitor(Call call) {
        JsonArray sweeps = new JsonArray();
        bench.engine()
                .janitor()
                .lastRound()
                .ifPresent(rounds -> rounds.forEach(round -> sweeps.add(sweep(round, call.tenant()))));
        return CompletableFuture.completedFuture(Reply.ok(new JsonObject().put("sweeps", sweeps)));
    }

    /** One round of one sweep, as far as it is the tenant's business. */
    static JsonObject sweep(SweepRound round, String tenant) {
        JsonArray actions = new JsonArray();
        round.actions().stream()
                .filter(action -> action.key().tenant().equals(tenant))
                .forEach(action -> actions.add(action(action)));
        JsonObject json = new JsonObject()
                .put("sweep", round.sweep())
                .put("at", JsonTime.of(round.at()))
                .put("actions", actions);
        round.whySkipped().ifPresent(why -> json.put("skipped", why));
        return json;
    }

    private static JsonObject action(SweepAction action) {
        JsonObject json = new JsonObject().put("key", action.key().name());
        if (action.run() != null) {
            json.put("run", action.run().toString());
        }
        if (action.state() != null) {
            json.put("state", action.state().name());
        }
        return json.put("why", action.why());
    }

    private CompletionStage<Reply> jobs(Call call) {
        JsonArray items = new JsonArray();
        bench.engine().jobs().all().forEach(job -> items.add(job(job)));
        return CompletableFuture.completedFuture(Reply.ok(new JsonObject().put("items", items)));
    }

    private JsonObject job(Job job) {
        JsonArray stages = new JsonArray();
        job.stages().keySet().forEach(stages::add);
        JsonObject json = new JsonObject()
                .put("name", job.name().value())
                .put("door", doors.apply(job.name()))
                .put("onConflict", job.policy().name())
                .put("lease", JsonTime.of(job.terms().ttl()))
                .put("maxAttempts", job.retry().attempts())
                .put("stages", stages)
                .put("worker", job.work().isPresent() ? "here" : "remote");
        job.limits().runtimeLimit().ifPresent(limit -> json.put("maxRuntime", JsonTime.of(limit)));
        job.limits().waitLimit().ifPresent(limit -> json.put("maxWait", JsonTime.of(limit)));
        return json;
    }
}
