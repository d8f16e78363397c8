package io.interlock.server.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
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
