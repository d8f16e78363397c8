package io.interlock.server;

import io.interlock.access.Role;
import io.interlock.config.Readiness;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.access.Authentication;
import io.interlock.server.http.Exchange;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/**
 * Health and metrics; without its store the server is alive, but not ready. On a port of their own they need no key. On the main port only callers from this host need none, for metrics also
 * by a name of this host and without a proxy, and behind a proxy no caller is known to be one. Metrics are of all tenants, so there no key
 * is enough for them but the one that may act for all.
 */
public final class ManagementRoutes {

    private static final long PATIENCE_SECONDS = 2;

    private static final Pattern LOOPBACK =
            Pattern.compile("(?i)localhost|127(\\.[0-9]{1,3}){3}|\\[?(::1|0:0:0:0:0:0:0:1)]?");
    private static final List<String> FORWARDED = List.of("Forwarded", "X-Forwarded-For", "X-Real-IP", "Via");

    private final Readiness readiness;
    private final PrometheusMeterRegistry meters;

    /** Shows what {@code readiness} and {@code meters} know. */
    public ManagementRoutes(Readiness readiness, PrometheusMeterRegistry meters) {
        this.readiness = readiness;
        this.meters = meters;
    }

    /** Adds the routes without asking for keys: for a port of their own. */
    public void openTo(Router router) {
        add(router, RoutingContext::next, RoutingContext::next);
    }

    /** Adds the routes on the main port. */
    public void closeTo(Router router, Authentication authentication, boolean behindProxy) {
        add(
                router,
                strangers(
                        request -> !behindProxy && isLocal(request),
                        context -> authentication.require(context, Role.READ)),
                strangers(
                        request -> !behindProxy && isLocal(request) && isMeantForHere(request),
                        context -> authentication.require(context, Role.ADMIN)));
    }

    private static Handler<RoutingContext> strangers(
            Predicate<HttpServerRequest> isKnown, Handler<RoutingContext> guard) {
        return context -> {
            if (isKnown.test(context.request())) {
                context.next();
            } else {
                guard.handle(context);
            }
        };
    }

    private void add(Router router, Handler<RoutingContext> guard, Handler<RoutingContext> metricsGuard) {
        look(router, "/health/live")
                .handler(guard)
                .handler(context -> answer(context, 200, new JsonObject().put("status", "UP")));
        look(router, "/health/ready").handler(guard).handler(this::ready);
        look(router, "/metrics")
                .handler(metricsGuard)
                .handler(ManagementRoutes::ofWholeServer)
                .handler(this::metrics);
    }

    /** Many monitors and load balancers want the status only, and ask with HEAD. */
    private static Route look(Router router, String path) {
        return router.route(path).method(HttpMethod.GET).method(HttpMethod.HEAD);
    }

    /** A caller without a key was let in by its address. */
    private static void ofWholeServer(RoutingContext context) {
        if (Exchange.caller(context)
                .filter(caller -> !KeyRing.isBootstrap(caller.key()))
                .isPresent()) {
            throw Problem.of(
                    ProblemCode.FORBIDDEN,
                    "Metrics are of all tenants: use the bootstrap key, or start the server with --management-port.");
        }
        context.next();
    }

    private void metrics(RoutingContext context) {
        context.response()
                .putHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                .end(meters.scrape());
    }

    /**
     * Whether a request of this host names this host, and comes through no proxy: a page of others in a browser here can make their name
     * lead to this host, and a proxy here makes all clients local.
     */
    private static boolean isMeantForHere(HttpServerRequest request) {
        return request.authority() != null
                && LOOPBACK.matcher(request.authority().host()).matches()
                && FORWARDED.stream().noneMatch(request.headers()::contains);
    }

    private static boolean isLocal(HttpServerRequest request) {
        SocketAddress peer = request.remoteAddress();
        try {
            // A numeric address: nothing is looked up.
            return peer != null
                    && peer.hostAddress() != null
                    && InetAddress.getByName(peer.hostAddress()).isLoopbackAddress();
        } catch (UnknownHostException impossible) {
            return false;
        }
    }

    private void ready(RoutingContext context) {
        Future.fromCompletionStage(readiness.obstacle(), Vertx.currentContext())
                .timeout(PATIENCE_SECONDS, TimeUnit.SECONDS)
                .otherwise(Optional.of("no answer within " + PATIENCE_SECONDS + "s, or a failure"))
                .onSuccess(obstacle -> {
                    JsonObject json = new JsonObject().put("status", obstacle.isEmpty() ? "UP" : "DOWN");
                    obstacle.ifPresent(reason -> json.put("reason", reason));
                    answer(context, obstacle.isEmpty() ? 200 : 503, json);
                });
    }

    private static void answer(RoutingContext context, int status, JsonObject json) {
        context.response()
                .setStatusCode(status)
                .putHeader("Content-Type", "application/json")
                .end(json.toBuffer());
    }
}
