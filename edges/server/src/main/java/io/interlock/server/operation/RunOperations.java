package io.interlock.server.operation;

import io.interlock.run.Run;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.service.Facts;
import io.interlock.service.Request;
import io.interlock.service.RunService;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** The operations about runs: those of {@link RunService}, and waits for the end of one. */
public final class RunOperations {

    /** When to ask again about a run that waits. A caller that is silent for 15 s leaves the queue. */
    static final Duration ASK_AGAIN = Duration.ofSeconds(5);

    private static final String LOCATION = "/api/v1/runs/";

    private final OperationContext context;
    private final RunLookups lookups;
    private final RunService service;

    private RunOperations(OperationContext context, RunLookups lookups) {
        this.context = context;
        this.lookups = lookups;
        this.service = context.service().runs();
    }

    public static void addTo(Operations operations, OperationContext context, RunLookups lookups) {
        StartOperation start = new StartOperation(context, lookups);
        WorkOperations work = new WorkOperations(context, lookups);
        RunService service = context.service().runs();
        RunOperations runs = new RunOperations(context, lookups);
        operations
                .on("startRun", start::start)
                .on("rerunRun", start::again)
                .on("getRun", runs::get)
                .on("listRuns", context.listing(call -> Reply.ok(service.list(call.request()))))
                .on("heartbeat", work::heartbeat)
                .on("finishRun", work::finish)
                .on("takeTurn", work::takeTurn)
                .on("claimWork", work::claim)
                .on("cancelRun", context.blocking(call -> waiting(service.cancel(call.request()))))
                .on("moveToFront", context.blocking(call -> Reply.ok(service.moveToFront(call.request()))))
                .on("redriveRun", context.blocking(call -> waiting(service.redrive(call.request()))))
                .on("discardRun", context.blocking(call -> Reply.ok(service.discard(call.request()))));
    }

    static String location(Run run) {
        return LOCATION + run.id();
    }

    /** The answer about a run that has not ended. */
    static Reply waiting(Facts run) {
        return Reply.accepted(run)
                .header("Location", LOCATION + run.shown("id"))
                .retryAfter(ASK_AGAIN);
    }

    private CompletionStage<Reply> get(Call call) {
        Request request = call.request();
        if (call.patience().isZero()) {
            return context.blocking(call, () -> Reply.ok(service.get(request)));
        }
        // The owner comes first: a caller must not learn how long a foreign run takes.
        return lookups.facts(call)
                .thenCompose(facts ->
                        context.waits().until(call, context.engine().awaitEndAsync(facts.id(), call.patience())))
                .thenCompose(ended -> context.blocking(
                        call,
                        () -> Reply.ok(service.shown(request, ended.orElseThrow(() -> RunLookups.unknown(call))))));
    }
}
