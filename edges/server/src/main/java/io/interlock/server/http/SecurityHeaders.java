package io.interlock.server.http;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.Map;

/** Headers that tell browsers to do nothing with an answer but show it to whoever asked. */
final class SecurityHeaders implements Handler<RoutingContext> {

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
