package io.interlock.server.http;

import io.interlock.access.Role;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.access.Authentication;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.Route;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.net.InetAddress;
import java.net.UnknownHostException;

/**
 * Health and metrics. On a port of their own they need no key. On the main port only callers from this host need none, and
 * behind a proxy nobody is known to be one. Metrics are of all tenants, so there no key is enough for them but the one that may act for
 * all.
 */
public final class Inside {

    private final Health health;
    private final PrometheusMeterRegistry meters;

    /** Shows what {@code probe} and {@code meters} know. */
    public Inside(ReadyProbe probe, PrometheusMeterRegistry meters) {
        this.health = new Health(probe);
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
                strangers(behindProxy, context -> authentication.require(context, Role.READ)),
                strangers(behindProxy, context -> authentication.require(context, Role.ADMIN)));
    }

    private static Handler<RoutingContext> strangers(boolean behindProxy, Handler<RoutingContext> guard) {
        return context -> {
            if (!behindProxy && isLocal(context.request())) {
                context.next();
            } else {
                guard.handle(context);
            }
        };
    }

    private void add(Router router, Handler<RoutingContext> guard, Handler<RoutingContext> metricsGuard) {
        look(router, "/health/live").handler(guard).handler(health::live);
        look(router, "/health/ready").handler(guard).handler(health::ready);
        look(router, "/metrics")
                .handler(metricsGuard)
                .handler(Inside::ofTheHouse)
                .handler(this::metrics);
    }

    /** Many monitors and load balancers want the status only, and ask with HEAD. */
    private static Route look(Router router, String path) {
        return router.route(path).method(HttpMethod.GET).method(HttpMethod.HEAD);
    }

    /** Whoever is not asked for a key is let through. */
    private static void ofTheHouse(RoutingContext context) {
        if (Exchange.caller(context)
                .filter(caller -> !KeyRing.isBootstrap(caller.key()))
                .isPresent()) {
            throw Problem.of(
                            ProblemCode.FORBIDDEN,
                            "Metrics are of all tenants: use the bootstrap key, or start the server with --management-port.")
                    .thrown();
        }
        context.next();
    }

    private void metrics(RoutingContext context) {
        context.response()
                .putHeader("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
                .end(meters.scrape());
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
}
