package io.interlock.server.operation;

import io.interlock.engine.Job;
import io.interlock.run.JobName;
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

/** What goes on in the house: {@code getResource}, {@code setResource}, {@code listAudit}, {@code listWorkers}, {@code listJobs}. */
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
        ResourceOperations resources = new ResourceOperations(bench);
        addSweepsTo(operations, bench);
        operations
                .on("getResource", resources::get)
                .on("setResource", resources::set)
                .on("listAudit", new AuditOperation(bench)::list)
                .on("verifyAudit", new VerifyOperation(bench)::verify)
                .on("listWorkers", new WorkersOperation(bench)::list)
                .on("listJobs", house::jobs);
    }

    /** Adds those about the janitor, which any store needs. */
    public static void addSweepsTo(Operations operations, Workbench bench) {
        CareOperations care = new CareOperations(bench);
        operations.on("getJanitor", care::janitor).on("sweepNow", care::sweepNow);
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
