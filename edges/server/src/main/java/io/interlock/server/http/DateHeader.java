package io.interlock.server.http;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;

/** Says when an answer was made, as RFC 9110 asks of servers that have a clock. */
final class DateHeader implements Handler<RoutingContext> {

    // DateTimeFormatter.RFC_1123_DATE_TIME writes days of one digit.
    private static final DateTimeFormatter FORMAT = DateTimeFormatter.ofPattern(
                    "EEE, dd MMM yyyy HH:mm:ss 'GMT'", Locale.ENGLISH)
            .withZone(ZoneOffset.UTC);

    private final InstantSource clock;

    DateHeader(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public void handle(RoutingContext context) {
        context.response().putHeader("Date", FORMAT.format(clock.instant()));
        context.next();
    }
}
