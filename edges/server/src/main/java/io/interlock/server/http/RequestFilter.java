package io.interlock.server.http;

import io.interlock.RunId;
import io.interlock.config.Limits;
import io.interlock.service.PlainText;
import io.interlock.service.Problem;
import io.interlock.time.Environment;
import io.vertx.core.Handler;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** The handlers before all routes: ids, addresses, log, headers and checks; and the handler of failures behind them. */
public final class RequestFilter {

    private static final Logger accessLog = LoggerFactory.getLogger("io.interlock.access");

    private static final CharSequence REQUEST_ID = HttpHeaders.createOptimized("X-Request-Id");
    private static final Pattern PLAIN_ID = Pattern.compile("[A-Za-z0-9._:-]{1,64}");
    private static final Pattern HOST = Pattern.compile("([A-Za-z0-9._~-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]{1,5})?");
    private static final Pattern BROKEN = Pattern.compile("%(?![0-9A-Fa-f]{2})");

    // DateTimeFormatter.RFC_1123_DATE_TIME writes days of one digit.
    private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private final Environment environment;
    private final ClientAddress addresses;
    private final BiConsumer<RoutingContext, Problem> refusals;
    private final BodyReader bodies;
    private final BodyReader anyBodies;
    private final Map<CharSequence, CharSequence> securityHeaders = new LinkedHashMap<>();

    /**
     * The handlers.
     *
     * @param tls whether browsers are told to come back by TLS only
     * @param refusals gets every request that is refused
     */
    public RequestFilter(
            Environment environment,
            Limits limits,
            ClientAddress addresses,
            boolean tls,
            BiConsumer<RoutingContext, Problem> refusals) {
        this.environment = environment;
        this.addresses = addresses;
        this.refusals = refusals;
        this.bodies = new BodyReader(limits, false);
        this.anyBodies = new BodyReader(limits, true);
        // Browsers do nothing with an answer but show it.
        secure("X-Content-Type-Options", "nosniff");
        secure("X-Frame-Options", "DENY");
        secure("Referrer-Policy", "no-referrer");
        secure("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'");
        secure("Cross-Origin-Resource-Policy", "same-origin");
        secure("Cross-Origin-Opener-Policy", "same-origin");
        secure("Cache-Control", "no-store");
        if (tls) {
            secure("Strict-Transport-Security", "max-age=31536000");
        }
    }

    private void secure(String name, String value) {
        securityHeaders.put(HttpHeaders.createOptimized(name), HttpHeaders.createOptimized(value));
    }

    /** Reads bodies, for routes that have let the caller in; with {@code anyType} of any media type. */
    public Handler<RoutingContext> bodies(boolean anyType) {
        return anyType ? anyBodies : bodies;
    }

    /** A router behind these handlers: every request has an id and a log line, every failure is a problem. */
    public Router router(Vertx vertx) {
        Router router = Router.router(vertx);
        FailureHandler failures = new FailureHandler(refusals);
        // One handler: between two of them the router would look for the next one.
        router.route().handler(this::filter).failureHandler(failures);
        router.errorHandler(404, failures);
        router.errorHandler(400, failures);
        router.errorHandler(500, failures);
        return router;
    }

    private void filter(RoutingContext context) {
        HttpServerRequest request = context.request();
        if (HttpServerFactory.isClosing(request.connection())) {
            // Bytes behind a request that was cut off: they must not be read as another one.
            return;
        }
        identify(context);
        log(context);
        addHeaders(context.response());
        Problem mistake = mistake(request);
        if (mistake == null) {
            context.next();
        } else {
            FailureHandler.answer(context, mistake);
        }
    }

    /** The id is the client's own if it is a plain word, else a UUIDv7; anything else might forge a log line or a header. */
    private void identify(RoutingContext context) {
        String given = context.request().getHeader(REQUEST_ID);
        String id = given != null && PLAIN_ID.matcher(given).matches()
                ? given
                : RunId.create(environment.clock(), environment.random()).toString();
        Exchange.REQUEST_ID.put(context, id);
        context.response().putHeader(REQUEST_ID, id);
        Exchange.ADDRESS.put(context, addresses.of(context.request()));
    }

    /**
     * One structured line per request, when it is over: caller, tenant, key, run, token and result. Neither headers nor queries nor bodies
     * are logged, so no secret is.
     */
    private void log(RoutingContext context) {
        if (accessLog.isInfoEnabled()) {
            long begun = environment.ticker().nanos();
            context.addEndHandler(ended ->
                    write(context, Duration.ofNanos(environment.ticker().nanos() - begun), ended.succeeded()));
        }
    }

    private static void write(RoutingContext context, Duration took, boolean sent) {
        LoggingEventBuilder line = accessLog
                .atInfo()
                .addKeyValue("requestId", Exchange.requestId(context))
                .addKeyValue("method", context.request().method().name())
                .addKeyValue(
                        "path",
                        PlainText.oneLine(String.valueOf(context.request().path())))
                .addKeyValue("status", context.response().getStatusCode())
                .addKeyValue("ms", took.toMillis());
        for (Map.Entry<String, Object> note : Exchange.notes(context).entrySet()) {
            Object value = note.getValue();
            line = line.addKeyValue(
                    note.getKey(), value instanceof Number ? value : PlainText.oneLine(String.valueOf(value)));
        }
        line.log(sent ? "answered" : "client went away");
    }

    private void addHeaders(HttpServerResponse response) {
        // RFC 9110 asks for it.
        response.putHeader(HttpHeaders.DATE, DATE.format(environment.clock().instant()));
        securityHeaders.forEach(response::putHeader);
    }

    /** What is wrong with the head of a request; {@code null} if nothing is. */
    private static @Nullable Problem mistake(HttpServerRequest request) {
        MultiMap headers = request.headers();
        if (headers.contains("")) {
            return Problem.invalid("header", "A header has no name.");
        }
        if (!hasOneHost(request)) {
            return FailureHandler.noHost();
        }
        String uri = request.uri();
        // The router fails on encodings that it cannot decode.
        if (uri.indexOf('%') >= 0 && BROKEN.matcher(uri).find()) {
            int query = uri.indexOf('?');
            boolean inPath =
                    BROKEN.matcher(query < 0 ? uri : uri.substring(0, query)).find();
            return Problem.invalid(inPath ? "path" : "query", "a % needs two hexadecimal digits behind it");
        }
        return hasOneLength(headers)
                ? null
                : Problem.invalid("header/Transfer-Encoding", "can only be chunked, without a Content-Length");
    }

    /** Two hosts and an invalid host are refused: a proxy in front may have read them in another way. */
    private static boolean hasOneHost(HttpServerRequest request) {
        List<String> hosts = request.headers().getAll(HttpHeaders.HOST);
        // Load balancers still ask in HTTP/1.0, which has no such header.
        boolean old = hosts.isEmpty() && request.version() == HttpVersion.HTTP_1_0;
        return old || (hosts.size() == 1 && HOST.matcher(hosts.get(0)).matches());
    }

    /** A body whose length can be read in two ways is refused: a proxy in front may have read it the other way. */
    private static boolean hasOneLength(MultiMap headers) {
        if (!headers.contains(HttpHeaders.TRANSFER_ENCODING)) {
            return true;
        }
        List<String> encodings = headers.getAll(HttpHeaders.TRANSFER_ENCODING);
        return encodings.size() == 1
                && encodings.get(0).equalsIgnoreCase("chunked")
                && !headers.contains(HttpHeaders.CONTENT_LENGTH);
    }
}
