package io.interlock.server.http;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.Map;

/** Headers that tell browsers to do nothing with an answer but show it to whoever asked. */
final class SecurityHeaders implements Handler<RoutingContext> {

    private final Map<String, String> headers = new LinkedHashMap<>();

    SecurityHeaders(boolean tls) {
        headers.put("X-Content-Type-Options", "nosniff");
        headers.put("X-Frame-Options", "DENY");
        headers.put("Referrer-Policy", "no-referrer");
        headers.put("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'");
        headers.put("Cross-Origin-Resource-Policy", "same-origin");
        headers.put("Cross-Origin-Opener-Policy", "same-origin");
        headers.put("Cache-Control", "no-store");
        if (tls) {
            headers.put("Strict-Transport-Security", "max-age=31536000");
        }
    }

    @Override
    public void handle(RoutingContext context) {
        headers.forEach((name, value) -> context.response().putHeader(name, value));
        context.next();
    }
}
