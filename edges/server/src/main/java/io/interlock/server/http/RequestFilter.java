package io.interlock.server.http;

import io.interlock.RunId;
import io.interlock.config.Limits;
import io.interlock.server.log.LogLines.LogText;
import io.interlock.server.problem.Problem;
import io.interlock.time.Environment;
import io.interlock.time.Ticker;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/** The handlers before all routes: ids, addresses, log, headers and checks; and the handler of failures behind them. */
public final class RequestFilter {

    private static final Pattern HOST = Pattern.compile("([A-Za-z0-9._~-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]{1,5})?");

    private static final Pattern BROKEN = Pattern.compile("%(?![0-9A-Fa-f]{2})");

    private final BiConsumer<RoutingContext, Problem> refusals;
    private final Handler<RoutingContext> addresses;
    private final BodyReader bodies;
    private final BodyReader anyBodies;
    private final Handler<RoutingContext> requestIds;
    private final Handler<RoutingContext> accessLog;
    private final Handler<RoutingContext> dates;
    private final Handler<RoutingContext> securityHeaders;

    /** A gate with {@code limits}, to clients known by {@code addresses}; {@code tls} tells browsers to come back by TLS only; {@code refusals} has who was refused. */
    public RequestFilter(
            Environment environment,
            Limits limits,
            ClientAddress addresses,
            boolean tls,
            BiConsumer<RoutingContext, Problem> refusals) {
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

    /** A body whose length can be read in two ways is refused: a proxy in front may have read it the other way. */
    private static void oneLength(RoutingContext context) {
        List<String> encodings = context.request().headers().getAll(HttpHeaders.TRANSFER_ENCODING);
        boolean chunked = encodings.size() == 1 && encodings.get(0).equalsIgnoreCase("chunked");
        if (encodings.isEmpty() || (chunked && context.request().getHeader(HttpHeaders.CONTENT_LENGTH) == null)) {
            context.next();
        } else {
            context.fail(Problem.invalid("header/Transfer-Encoding", "can only be chunked, without a Content-Length"));
        }
    }

    /** Gives every request an id: the client's own if it is a plain word, else a UUIDv7. It comes back as {@code X-Request-Id}. */
    static final class RequestId implements Handler<RoutingContext> {

        private static final CharSequence HEADER = HttpHeaders.createOptimized("X-Request-Id");
        private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._:-]{1,64}");

        private final Environment environment;

        RequestId(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void handle(RoutingContext context) {
            if (HttpServerFactory.isClosing(context.request().connection())) {
                // Bytes behind a request that was cut off: they must not be read as another one.
                return;
            }
            String given = context.request().getHeader(HEADER);
            // Anything else might forge a log line or a header.
            String id = given != null && PLAIN.matcher(given).matches() ? given : fresh();
            Exchange.requestId(context, id);
            context.response().putHeader(HEADER, id);
            context.next();
        }

        private String fresh() {
            return RunId.create(environment.clock(), environment.random()).toString();
        }
    }

    /** Headers that tell browsers to do nothing with an answer but show it. */
    static final class SecurityHeaders implements Handler<RoutingContext> {

        private final Map<CharSequence, CharSequence> headers = new LinkedHashMap<>();

        SecurityHeaders(boolean tls) {
            put("X-Content-Type-Options", "nosniff");
            put("X-Frame-Options", "DENY");
            put("Referrer-Policy", "no-referrer");
            put("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'");
            put("Cross-Origin-Resource-Policy", "same-origin");
            put("Cross-Origin-Opener-Policy", "same-origin");
            put("Cache-Control", "no-store");
            if (tls) {
                put("Strict-Transport-Security", "max-age=31536000");
            }
        }

        private void put(String name, String value) {
            headers.put(HttpHeaders.createOptimized(name), HttpHeaders.createOptimized(value));
        }

        @Override
        public void handle(RoutingContext context) {
            HttpServerResponse response = context.response();
            headers.forEach(response::putHeader);
            context.next();
        }
    }

    /** Says when an answer was made, as RFC 9110 asks of servers that have a clock. */
    static final class DateHeader implements Handler<RoutingContext> {

        // DateTimeFormatter.RFC_1123_DATE_TIME writes days of one digit.
        private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                        "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
                .withZone(ZoneOffset.UTC);

        private final InstantSource clock;
        private volatile Written written = new Written(Long.MIN_VALUE, "");

        DateHeader(InstantSource clock) {
            this.clock = clock;
        }

        @Override
        public void handle(RoutingContext context) {
            context.response().putHeader(HttpHeaders.DATE, now());
            context.next();
        }

        /** Written anew once a second. Threads that do so at the same time write the same. */
        private CharSequence now() {
            Instant now = clock.instant();
            Written last = written;
            if (last.second != now.getEpochSecond()) {
                last = new Written(now.getEpochSecond(), HttpHeaders.createOptimized(FORMAT.format(now)));
                written = last;
            }
            return last.text;
        }

        private record Written(long second, CharSequence text) {}
    }

    /**
     * One structured line per request, when it is over: who asked what for which tenant, key, run and token, and what came of it.
     * Neither headers nor queries nor bodies are logged, so no secret is.
     */
    static final class AccessLog implements Handler<RoutingContext> {

        private static final Logger log = LoggerFactory.getLogger("io.interlock.access");

        private final Ticker ticker;

        AccessLog(Ticker ticker) {
            this.ticker = ticker;
        }

        @Override
        public void handle(RoutingContext context) {
            if (!log.isInfoEnabled()) {
                context.next();
                return;
            }
            long begun = ticker.nanos();
            context.addEndHandler(ended -> write(context, Duration.ofNanos(ticker.nanos() - begun), ended.succeeded()));
            context.next();
        }

        private static void write(RoutingContext context, Duration took, boolean sent) {
            LoggingEventBuilder line = log.atInfo()
                    .addKeyValue("requestId", Exchange.requestId(context))
                    .addKeyValue("method", context.request().method().name())
                    .addKeyValue(
                            "path",
                            LogText.oneLine(String.valueOf(context.request().path())))
                    .addKeyValue("status", context.response().getStatusCode())
                    .addKeyValue("ms", took.toMillis());
            for (var note : Exchange.notes(context).entrySet()) {
                line = line.addKeyValue(note.getKey(), oneLine(note.getValue()));
            }
            line.log(sent ? "answered" : "client went away");
        }

        private static Object oneLine(Object value) {
            return value instanceof Number ? value : LogText.oneLine(String.valueOf(value));
        }
    }
}
