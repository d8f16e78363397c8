package io.interlock.server.http;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

/** Liveness and readiness. Without its store the server is not ready, but alive. */
public final class Health {

    private static final long PATIENCE_SECONDS = 2;

    private final ReadyProbe probe;

    public Health(ReadyProbe probe) {
        this.probe = probe;
    }

    public void live(RoutingContext context) {
        answer(context, 200, new JsonObject().put("status", "UP"));
    }

    public void ready(RoutingContext context) {
        ask().onComplete(answer -> {
            ReadyProbe.Readiness said = answer.succeeded()
                    ? answer.result()
                    : ReadyProbe.Readiness.notReady("no answer within " + PATIENCE_SECONDS + "s, or a failure");
            JsonObject json = new JsonObject().put("status", said.ready() ? "UP" : "DOWN");
            if (!said.ready()) {
                json.put("reason", said.reason());
            }
            answer(context, said.ready() ? 200 : 503, json);
        });
    }

    private Future<ReadyProbe.Readiness> ask() {
        try {
            CompletionStage<ReadyProbe.Readiness> asked = probe.ask();
            return Future.fromCompletionStage(asked, Vertx.currentContext())
                    .timeout(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (RuntimeException failure) {
            return Future.failedFuture(failure);
        }
    }

    private static void answer(RoutingContext context, int status, JsonObject json) {
        context.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .end(json.toBuffer());
    }

    /** Asks whether requests can be served now. Never blocks. */
    @FunctionalInterface
    public interface ReadyProbe {

        /** Looks. An answer that takes long counts as no. */
        CompletionStage<Readiness> ask();

        /**
         * What was found.
         *
         * @param reason if not, why, without secrets
         */
        record Readiness(boolean ready, String reason) {

            public static Readiness yes() {
                return new Readiness(true, "");
            }

            public static Readiness notReady(String reason) {
                return new Readiness(false, reason);
            }
        }
    }
}
