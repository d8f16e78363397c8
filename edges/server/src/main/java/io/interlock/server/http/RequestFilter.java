package io.interlock.server.http;

import io.interlock.config.Limits;
import io.interlock.server.problem.Problem;
import io.interlock.time.Environment;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.regex.Pattern;

/** What stands before all routes and behind them. */
public final class RequestFilter {

    private static final Pattern HOST = Pattern.compile("([A-Za-z0-9._~-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]{1,5})?");

    private static final Pattern BROKEN = Pattern.compile("%(?![0-9A-Fa-f]{2})");

    private final RefusalListener refusals;
    private final Handler<RoutingContext> addresses;
    private final BodyReader bodies;
    private final BodyReader anyBodies;
    private final Handler<RoutingContext> requestIds;
    private final Handler<RoutingContext> accessLog;
    private final Handler<RoutingContext> dates;
    private final Handler<RoutingContext> securityHeaders;

    /** A gate with {@code limits}, to clients known by {@code addresses}; {@code tls} tells browsers to come back by TLS only; {@code refusals} has who was refused. */
    public RequestFilter(
            Environment environment, Limits limits, ClientAddress addresses, boolean tls, RefusalListener refusals) {
        this.refusals = refusals;
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
        FailureHandler failures = new FailureHandler(refusals);
        // One route: each further one would have to be matched again.
        router.route()
                .handler(requestIds)
                .handler(addresses)
                .handler(accessLog)
                .handler(dates)
                .handler(securityHeaders)
                .handler(RequestFilter::properHead)
                .handler(RequestFilter::encoded)
                .handler(RequestFilter::oneLength)
                .failureHandler(failures);
        router.errorHandler(404, failures);
        router.errorHandler(400, failures);
        router.errorHandler(500, failures);
        return router;
    }

    /** Two hosts, what is no host, and a header without a name are refused: a proxy in front may have read them in another way. */
    private static void properHead(RoutingContext context) {
        if (context.request().headers().contains("")) {
            FailureHandler.answer(context, Problem.invalid("header", "A header has no name."));
            return;
        }
        List<String> hosts = context.request().headers().getAll(HttpHeaders.HOST);
        // Load balancers still ask in HTTP/1.0, which has no such header.
        boolean old = hosts.isEmpty() && context.request().version() == HttpVersion.HTTP_1_0;
        if (old || (hosts.size() == 1 && HOST.matcher(hosts.get(0)).matches())) {
            context.next();
        } else {
            FailureHandler.answer(context, FailureHandler.noHost());
        }
    }

    /** What is not encoded properly cannot be decoded: the router would stumble over it. */
    private static void encoded(RoutingContext context) {
        String uri = context.request().uri();
        if (!BROKEN.matcher(uri).find()) {
            context.next();
            return;
        }
        int query = uri.indexOf('?');
        boolean inPath =
                BROKEN.matcher(query < 0 ? uri : uri.substring(0, query)).find();
        FailureHandler.answer(
                context, Problem.invalid(inPath ? "path" : "query", "a % needs two hexadecimal digits behind it"));
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
