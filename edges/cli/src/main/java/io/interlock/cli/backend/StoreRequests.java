package io.interlock.cli.backend;

import io.interlock.RunId;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.client.Json;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.service.AdminFacts;
import io.interlock.service.AdminService;
import io.interlock.service.EngineService;
import io.interlock.service.Facts;
import io.interlock.service.KeyService;
import io.interlock.service.LockService;
import io.interlock.service.Request;
import io.interlock.service.RunService;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** Answers requests of the REST API in this process, by the operations that a server has, for one tenant of a store. */
final class StoreRequests extends LocalRequests {

    private final OpenStore store;
    private final RunEngine engine;
    private final EngineService service;
    private final InstantSource clock;

    StoreRequests(OpenStore store, RunEngine engine, StoreBackend.Target target) {
        super(target);
        this.store = store;
        this.engine = engine;
        clock = target.environment().clock();
        service = EngineService.of(engine, clock, Json::foreign, Object::toString);
    }

    /** Of a run: waits for its end. */
    @Override
    public Facts getWithin(Duration wait, String path, String... query) throws InterruptedException {
        engine.awaitEnd(RunId.parse(get(path, query).shown("id")), wait);
        return get(path, query);
    }

    @Override
    Facts answer(String operation, Request request) {
        LockService locks = service.locks();
        RunService runs = service.runs();
        AdminService admin = service.admin();
        return switch (operation) {
            case "GET /locks" -> locks.list(request);
            case "GET /locks/line" -> locks.line(request);
            case "POST /locks/evict" -> locks.evict(request);
            case "POST /locks/pause" -> locks.pause(request);
            case "POST /locks/resume" -> locks.resume(request);
            case "GET /runs" -> runs.list(request);
            case "POST /runs" -> runs.submit(request);
            case "GET /runs/ID" -> runs.get(request);
            case "POST /runs/ID/rerun" -> runs.rerun(request);
            case "POST /runs/ID/cancel" -> runs.cancel(request);
            case "POST /runs/ID/front" -> runs.moveToFront(request);
            case "POST /runs/ID/redrive" -> runs.redrive(request);
            case "POST /runs/ID/discard" -> runs.discard(request);
            case "GET /keys" -> joined(keys().list(request));
            case "POST /keys" -> joined(keys().create(request));
            case "DELETE /keys" -> joined(keys().revoke(request));
            case "GET /resources" -> admin.resource(request);
            case "PUT /resources" -> admin.setResource(request);
            case "GET /audit" -> admin.audit(request);
            case "GET /summary" -> admin.summary(request.tenant());
            case "GET /history" -> admin.history(request);
            case "GET /workers" -> Facts.with("items", admin.workers(request.tenant()));
            // No process of this store knows jobs, nor when it is swept next; what is due is in the list of locks.
            case "GET /jobs" ->
                throw new Failure(
                        ExitCode.CONFIGURATION,
                        "a store knows runs, not jobs",
                        "name the configuration that defines them: --config interlock.yaml; or ask a server: --server URL");
            case "GET /janitor" -> Facts.none();
            case "POST /janitor/sweep" ->
                AdminFacts.janitor(engine.janitor().runOnce(), Optional.empty(), action -> true);
            default -> throw new IllegalArgumentException("a store does not answer " + operation);
        };
    }

    private KeyService keys() {
        return new KeyService(store.keys(Runnable::run), clock, Integer.MAX_VALUE);
    }

    private static <T> T joined(CompletionStage<T> answer) {
        try {
            return answer.toCompletableFuture().join();
        } catch (CompletionException failure) {
            throw failure.getCause() instanceof RuntimeException known ? known : failure;
        }
    }
}
