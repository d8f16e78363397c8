package io.interlock.server.http;

import io.interlock.server.log.LogText;
import io.interlock.time.Ticker;
import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * One structured line per request, when it is over: who asked what for which tenant, key, run and token, and what came of it.
 * Neither headers nor queries nor bodies are logged, so no secret is.
 */
final class AccessLog implements Handler<RoutingContext> {

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
                        "path", LogText.oneLine(String.valueOf(context.request().path())))
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
