package io.interlock.server.http;

import io.interlock.server.config.Limits;
import io.interlock.time.Environment;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;

/** What stands before all routes and behind them. */
public final class Gate {

    private final BodyReader bodies;
    private final Handler<RoutingContext> requestIds;
    private final Handler<RoutingContext> accessLog;
    private final Handler<RoutingContext> securityHeaders;

    /** A gate with {@code limits}; {@code tls} tells browsers to come back by TLS only. */
    public Gate(Environment environment, Limits limits, boolean tls) {
        this.bodies = new BodyReader(limits);
        this.requestIds = new RequestId(environment);
        this.accessLog = new AccessLog(environment.ticker());
        this.securityHeaders = new SecurityHeaders(tls);
    }

    /** Reads bodies, for routes that have let the caller in. */
    public Handler<RoutingContext> bodies() {
        return bodies;
    }

    /** A router behind this gate: every request has an id and a log line, every failure is a problem. */
    public Router router(Vertx vertx) {
        Router router = Router.router(vertx);
        Failures failures = new Failures();
        router.route().handler(requestIds);
        router.route().handler(accessLog);
        router.route().handler(securityHeaders);
        router.route().failureHandler(failures);
        router.errorHandler(404, failures);
        router.errorHandler(400, failures);
        router.errorHandler(500, failures);
        return router;
    }
}
