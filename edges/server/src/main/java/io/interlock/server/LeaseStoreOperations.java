package io.interlock.server;

import io.interlock.engine.RunEngine;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.InterlockServer.ServerParts;
import io.interlock.server.access.AccessRecords;
import io.interlock.server.api.Api;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.compat.CompatApis;
import io.interlock.server.locks.LockOperations;
import io.interlock.server.operation.AdminOperations;
import io.interlock.server.operation.SessionOperations;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.interlock.server.session.Sessions;
import io.interlock.time.Environment;
import java.util.concurrent.CompletionStage;

/**
 * Answers every operation on a store that keeps leases only: bare leases, locks, force and sweeps as everywhere, and whatever needs runs,
 * the compatible APIs among it, with the reason why it cannot be had here.
 *
 * @param engine who decides
 * @param keys who may sign in
 * @param sessions who has; the same as {@link ServerParts} have
 * @param records who signs in and out; the same as {@link ServerParts} have
 * @param environment time, threads and chance
 */
public record LeaseStoreOperations(
        RunEngine engine, KeyRing keys, Sessions sessions, AccessRecords records, Environment environment) {

    /** The operations, to which those about keys and configuration can be added. They end with the server. */
    public Operations operations() {
        OperationContext context = OperationContext.of(engine, environment);
        keys.onRevoked(context.waits()::checkKeys);
        Operations operations = new Operations().otherwise(LeaseStoreOperations::needsRuns);
        Api.addTo(operations);
        LockOperations.addLeasesTo(operations, context);
        AdminOperations.addSweepsTo(operations, context);
        SessionOperations.addTo(operations, sessions, keys, records, environment);
        CompatApis.DOCUMENTS.forEach(
                document -> operations.also(document, new Operations().otherwise(LeaseStoreOperations::needsRuns)));
        return operations.onStop(context.waits()::close);
    }

    private static CompletionStage<Reply> needsRuns(Call call) {
        throw Problem.of(
                        ProblemCode.NEEDS_RUN_STORE,
                        ProblemCode.NEEDS_RUN_STORE.entry().detail())
                .thrown();
    }
}
