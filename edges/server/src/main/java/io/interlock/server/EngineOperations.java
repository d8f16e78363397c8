package io.interlock.server;

import io.interlock.config.Limits;
import io.interlock.engine.RunEngine;
import io.interlock.engine.access.KeyRing;
import io.interlock.run.JobName;
import io.interlock.server.InterlockServer.ServerParts;
import io.interlock.server.access.AccessRecords;
import io.interlock.server.api.Api;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.compat.CompatApis;
import io.interlock.server.live.StreamOperation;
import io.interlock.server.operation.AdminOperations;
import io.interlock.server.operation.LockOperations;
import io.interlock.server.operation.RunLookups;
import io.interlock.server.operation.RunOperations;
import io.interlock.server.operation.SessionOperations;
import io.interlock.server.problem.Catalogue;
import io.interlock.server.session.Sessions;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.interlock.time.Environment;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * Answers every operation of the contract that is the engine's: all but API keys and configuration.
 *
 * @param sessions who has; the same as {@link ServerParts} have
 * @param records who signs in and out; the same as {@link ServerParts} have
 * @param apis the compatible API through which a job is started, {@code none} if it has none
 */
public record EngineOperations(
        RunEngine engine,
        KeyRing keys,
        Sessions sessions,
        AccessRecords records,
        Environment environment,
        Limits limits,
        Function<JobName, String> apis) {

    /** The operations, to which those about keys and configuration can be added. They end with the server. */
    public Operations operations() {
        OperationContext context = OperationContext.of(engine, environment);
        Operations operations = forEachStore(context);
        RunLookups lookups = new RunLookups(context);
        RunOperations.addTo(operations, context, lookups);
        LockOperations.addTo(operations, context, lookups);
        AdminOperations.addTo(operations, context, apis);
        StreamOperation.addTo(operations, context, limits.streams());
        return operations;
    }

    /** Those of a store that keeps leases only: all that needs runs, the compatible APIs included, is answered with the reason. */
    public Operations ofLeases() {
        OperationContext context = OperationContext.of(engine, environment);
        Operations operations = forEachStore(context).otherwise(EngineOperations::needsRuns);
        LockOperations.addLeasesTo(operations, context, new RunLookups(context));
        CompatApis.DOCUMENTS.forEach(
                document -> operations.also(document, new Operations().otherwise(EngineOperations::needsRuns)));
        return operations;
    }

    private Operations forEachStore(OperationContext context) {
        keys.onRevoked(context.waits()::checkKeys);
        Operations operations = new Operations();
        Api.addTo(operations);
        AdminOperations.addSweepsTo(operations, context);
        SessionOperations.addTo(operations, sessions, keys, records, environment);
        return operations.onStop(context.waits()::close);
    }

    private static CompletionStage<Reply> needsRuns(Call call) {
        throw Problem.of(
                ProblemCode.NEEDS_RUN_STORE,
                Catalogue.of(ProblemCode.NEEDS_RUN_STORE).detail());
    }
}
