package io.interlock.server.operation;

import io.interlock.engine.Job;
import io.interlock.run.JobName;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.json.JsonTime;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/** Administration: {@code getResource}, {@code setResource}, {@code listAudit}, {@code listWorkers}, {@code listJobs}. */
public final class AdminOperations {

    private final OperationContext context;
    private final Function<JobName, String> apis;

    private AdminOperations(OperationContext context, Function<JobName, String> apis) {
        this.context = context;
        this.apis = apis;
    }

    /**
     * Adds them to {@code operations}.
     *
     * @param apis the compatible API through which a job is started, {@code none} if it has none
     */
    public static void addTo(Operations operations, OperationContext context, Function<JobName, String> apis) {
        AdminOperations admin = new AdminOperations(context, apis);
        ResourceOperations resources = new ResourceOperations(context);
        addSweepsTo(operations, context);
        operations
                .on("getResource", resources::get)
                .on("setResource", resources::set)
                .on("listAudit", new AuditOperation(context)::list)
                .on("verifyAudit", new VerifyOperation(context)::verify)
                .on("listWorkers", new WorkersOperation(context)::list)
                .on("listJobs", admin::jobs);
    }

    /** Adds those about the janitor, which any store needs. */
    public static void addSweepsTo(Operations operations, OperationContext context) {
        JanitorOperations care = new JanitorOperations(context);
        operations.on("getJanitor", care::janitor).on("sweepNow", care::sweepNow);
    }

    private CompletionStage<Reply> jobs(Call call) {
        JsonArray items = new JsonArray();
        context.engine().jobs().all().forEach(job -> items.add(job(job)));
        return CompletableFuture.completedFuture(Reply.ok(new JsonObject().put("items", items)));
    }

    private JsonObject job(Job job) {
        JsonArray stages = new JsonArray();
        job.stages().keySet().forEach(stages::add);
        JsonObject json = new JsonObject()
                .put("name", job.name().value())
                .put("api", apis.apply(job.name()))
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
