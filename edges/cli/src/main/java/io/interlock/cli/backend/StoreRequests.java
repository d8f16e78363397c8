package io.interlock.cli.backend;

import io.interlock.Actor;
import io.interlock.cli.text.Failure;
import io.interlock.client.Json;
import io.interlock.client.Requests;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.run.Run;
import io.interlock.service.AdminService;
import io.interlock.service.EngineService;
import io.interlock.service.Facts;
import io.interlock.service.ForeignJson;
import io.interlock.service.KeyService;
import io.interlock.service.LockService;
import io.interlock.service.OperationException;
import io.interlock.service.Request;
import io.interlock.service.RunService;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Answers requests of the REST API in this process, by the operations that a server has, for one tenant of a store. */
final class StoreRequests implements Requests {

    private static final Pattern OF_A_RUN = Pattern.compile("/runs/([^/]+)(/.*)?");

    private final OpenStore store;
    private final RunEngine engine;
    private final EngineService service;
    private final InstantSource clock;
    private final String tenant;
    private final Actor actor;

    StoreRequests(OpenStore store, RunEngine engine, StoreBackend.Target target) {
        this.store = store;
        this.engine = engine;
        clock = target.environment().clock();
        service = EngineService.of(engine, clock, new TypedJson());
        tenant = target.tenant();
        actor = Actor.of(target.actor());
    }

    private static final class TypedJson implements ForeignJson {

        @Override
        public Object value(String text) {
            return Json.foreign(text);
        }

        @Override
        public String text(Object value) {
            return value.toString();
        }
    }

    @Override
    public Facts get(String path, String... query) {
        return answer("GET", path, query, Facts.none());
    }

    @Override
    public Facts getWithin(Duration wait, String path, String... query) throws InterruptedException {
        Run run = service.runs().require(new Request(tenant, actor, parameters(path, query), Facts.none()));
        engine.awaitEnd(run.id(), wait);
        return get(path, query);
    }

    @Override
    public Facts post(String path, @Nullable Facts body) {
        return answer("POST", path, new String[0], body == null ? Facts.none() : body);
    }

    @Override
    public Facts put(String path, Facts body) {
        return answer("PUT", path, new String[0], body);
    }

    @Override
    public void delete(String path, String... query) {
        answer("DELETE", path, query, Facts.none());
    }

    private Facts answer(String method, String path, String[] query, Facts body) {
        Request request = new Request(tenant, actor, parameters(path, query), body);
        Matcher ofARun = OF_A_RUN.matcher(path);
        String operation = method + " " + (ofARun.matches() ? ofARun.replaceFirst("/runs/{id}$2") : path);
        try {
            return answer(operation, request);
        } catch (OperationException refused) {
            throw Failure.refused(refused, path);
        }
    }

    private static Facts parameters(String path, String[] query) {
        Facts parameters = Facts.none();
        Matcher ofARun = OF_A_RUN.matcher(path);
        if (ofARun.matches()) {
            parameters.and("id", ofARun.group(1));
        }
        for (int i = 0; i < query.length; i += 2) {
            parameters.and(query[i], query[i + 1].isEmpty() ? null : query[i + 1]);
        }
        return parameters;
    }

    private Facts answer(String operation, Request request) {
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
            case "GET /runs/{id}" -> runs.get(request);
            case "POST /runs/{id}/rerun" -> runs.rerun(request);
            case "POST /runs/{id}/cancel" -> runs.cancel(request);
            case "POST /runs/{id}/front" -> runs.moveToFront(request);
            case "POST /runs/{id}/redrive" -> runs.redrive(request);
            case "POST /runs/{id}/discard" -> runs.discard(request);
            case "GET /keys" -> joined(keys().list(request));
            case "POST /keys" -> joined(keys().create(request));
            case "DELETE /keys" -> joined(keys().revoke(request));
            case "GET /resources" -> admin.resource(request);
            case "PUT /resources" -> admin.setResource(request);
            case "GET /audit" -> admin.audit(request);
            case "GET /summary" -> admin.summary(tenant);
            case "GET /history" -> admin.history(request);
            case "GET /workers" -> Facts.with("items", admin.workers(tenant));
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
