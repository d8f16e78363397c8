package io.interlock.server.http;

import io.interlock.config.Limits;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the body, up to a size and within a time. A client that sends more is refused at once and cut off; nothing beyond the limit
 * is kept.
 */
final class BodyReader implements Handler<RoutingContext> {

    private static final Pattern JSON = Pattern.compile("application/json(;charset=\"?utf-8\"?)?");

    private final Limits limits;
    private final boolean anyType;

    /** A reader; {@code anyType} if what the sender calls the body does not matter. */
    BodyReader(Limits limits, boolean anyType) {
        this.limits = limits;
        this.anyType = anyType;
    }

    @Override
    public void handle(RoutingContext context) {
        HttpServerRequest request = context.request();
        Problem refusal = refusal(request);
        if (refusal != null) {
            context.fail(refusal);
            return;
        }
        if (request.getHeader(HttpHeaders.EXPECT) != null) {
            request.response().writeContinue();
        }
        new Arrival(context).begin();
    }

    private @Nullable Problem refusal(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        if (length != null && (length.length() > 10 || Long.parseLong(length) > limits.body())) {
            return tooLarge();
        }
        String expected = request.getHeader(HttpHeaders.EXPECT);
        if (expected != null && !expected.equalsIgnoreCase("100-continue")) {
            return Problem.of(ProblemCode.EXPECTATION_FAILED, "Expect knows only 100-continue.");
        }
        String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
        String encoding = request.getHeader(HttpHeaders.CONTENT_ENCODING);
        boolean plain = encoding == null || encoding.equalsIgnoreCase("identity");
        if (hasBody(request) && !(plain && (anyType || isJson(type)))) {
            return Problem.of(
                    ProblemCode.UNSUPPORTED_MEDIA_TYPE,
                    "The body is " + (type == null ? "of no declared type" : "not plain JSON")
                            + "; send application/json.");
        }
        return null;
    }

    /** Whether something comes behind the headers. */
    static boolean hasBody(HttpServerRequest request) {
        String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
        return request.getHeader(HttpHeaders.TRANSFER_ENCODING) != null || (length != null && !length.equals("0"));
    }

    private static boolean isJson(@Nullable String type) {
        return type != null
                && (type.equals("application/json")
                        || JSON.matcher(type.toLowerCase(Locale.ROOT).replace(" ", ""))
                                .matches());
    }

    private Problem tooLarge() {
        return Problem.of(ProblemCode.BODY_TOO_LARGE, "The body has more than " + limits.body() + " bytes.")
                .with("limit", limits.body());
    }

    /** One body on its way in. */
    private final class Arrival {

        private final RoutingContext context;
        private final Buffer body = Buffer.buffer();
        private boolean over;
        private long timer;

        Arrival(RoutingContext context) {
            this.context = context;
        }

        void begin() {
            HttpServerRequest request = context.request();
            timer = context.vertx().setTimer(limits.arrival().toMillis(), id -> stop(tooSlow()));
            request.handler(this::take);
            request.exceptionHandler(failure -> end());
            request.endHandler(end -> complete());
            request.resume();
        }

        private Problem tooSlow() {
            return Problem.of(
                    ProblemCode.REQUEST_TIMEOUT,
                    "The body was not complete after " + limits.arrival().toSeconds() + "s.");
        }

        private void take(Buffer chunk) {
            if (over) {
                return;
            }
            if (body.length() + chunk.length() > limits.body()) {
                stop(tooLarge());
            } else {
                body.appendBuffer(chunk);
            }
        }

        private void complete() {
            if (over) {
                return;
            }
            end();
            if (isDeeper(body, limits.depth())) {
                context.fail(Problem.invalid("", "The JSON nests more than " + limits.depth() + " levels."));
                return;
            }
            Exchange.BODY.put(context, body);
            context.next();
        }

        private void stop(Problem problem) {
            if (!over) {
                end();
                context.fail(problem);
            }
        }

        private void end() {
            over = true;
            context.vertx().cancelTimer(timer);
        }
    }

    /** Whether {@code json} opens more than {@code most} arrays and objects within each other. */
    private static boolean isDeeper(Buffer json, int most) {
        int depth = 0;
        boolean text = false;
        for (int i = 0; i < json.length(); i++) {
            byte at = json.getByte(i);
            if (text) {
                if (at == '\\') {
                    i++;
                } else if (at == '"') {
                    text = false;
                }
            } else if (at == '"') {
                text = true;
            } else if (at == '[' || at == '{') {
                depth++;
                if (depth > most) {
                    return true;
                }
            } else if (at == ']' || at == '}') {
                depth--;
            }
        }
        return false;
    }
}
