package io.interlock.server.http;

import io.interlock.RunId;
import io.interlock.time.Environment;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.util.regex.Pattern;

/** Gives every request an id: the client's own if it is a plain word, else a UUIDv7. It comes back as {@code X-Request-Id}. */
final class RequestId implements Handler<RoutingContext> {

    private static final CharSequence HEADER = HttpHeaders.createOptimized("X-Request-Id");
    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9._:-]{1,64}");

    private final Environment environment;

    RequestId(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void handle(RoutingContext context) {
        if (HttpServerFactory.isClosing(context.request().connection())) {
            // Bytes behind a request that was cut off: nobody may take them for another one.
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
