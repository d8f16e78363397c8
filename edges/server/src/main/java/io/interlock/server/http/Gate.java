package io.interlock.server.http;

import io.interlock.config.Limits;
import io.interlock.server.problem.Problem;
import io.interlock.time.Environment;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** What stands before all routes and behind them. */
public final class Gate {

    private final Handler<RoutingContext> addresses;
    private final BodyReader bodies;
    private final BodyReader anyBodies;
    private final Handler<RoutingContext> requestIds;
    private final Handler<RoutingContext> accessLog;
    private final Handler<RoutingContext> dates;
    private final Handler<RoutingContext> securityHeaders;

    /** A gate with {@code limits}, to clients known by {@code addresses}; {@code tls} tells browsers to come back by TLS only. */
    public Gate(Environment environment, Limits limits, ClientAddress addresses, boolean tls) {
        this.addresses = context -> {
            Exchange.address(context, addresses.of(context.request()));
            context.next();
        };
        this.bodies = new BodyReader(limits, false);
        this.anyBodies = new BodyReader(limits, true);
        this.requestIds = new RequestId(environment);
        this.accessLog = new AccessLog(environment.ticker());
        this.dates = new DateHeader(environment.clock());
        this.securityHeaders = new SecurityHeaders(tls);
    }

    /** Reads bodies, for routes that have let the caller in; with {@code anyType} whatever their senders call them. */
    public Handler<RoutingContext> bodies(boolean anyType) {
        return anyType ? anyBodies : bodies;
    }

    /** A router behind this gate: every request has an id and a log line, every failure is a problem. */
    public Router router(Vertx vertx) {
        Router router = Router.router(vertx);
        Failures failures = new Failures();
        // One route: each further one would have to be matched again.
        router.route()
                .handler(requestIds)
                .handler(addresses)
                .handler(accessLog)
                .handler(dates)
                .handler(securityHeaders)
                .handler(Gate::oneHost)
                .handler(Gate::oneLength)
                .failureHandler(failures);
        router.errorHandler(404, failures);
        router.errorHandler(400, failures);
        router.errorHandler(500, failures);
        return router;
    }

    /** A request for two hosts, or for none, is not HTTP/1.1: a proxy in front may have looked at the other one. */
    private static void oneHost(RoutingContext context) {
        HttpServerRequest request = context.request();
        int hosts = request.headers().getAll(HttpHeaders.HOST).size();
        boolean old = request.version() == HttpVersion.HTTP_1_0;
        if (hosts > 1 || (request.authority() == null && !(old && hosts == 0))) {
            context.fail(Problem.invalid(
                            "header/Host", "must be there exactly once, as a name or address with an optional port")
                    .thrown());
        } else {
            context.next();
        }
    }

    /** A body whose length can be read in two ways is none: somebody in front may have read it the other way. */
    private static void oneLength(RoutingContext context) {
        List<String> encodings = context.request().headers().getAll(HttpHeaders.TRANSFER_ENCODING);
        boolean chunked = encodings.size() == 1 && encodings.get(0).equalsIgnoreCase("chunked");
        if (encodings.isEmpty() || (chunked && context.request().getHeader(HttpHeaders.CONTENT_LENGTH) == null)) {
            context.next();
        } else {
            context.fail(Problem.invalid("header/Transfer-Encoding", "can only be chunked, without a Content-Length")
                    .thrown());
        }
    }
}
