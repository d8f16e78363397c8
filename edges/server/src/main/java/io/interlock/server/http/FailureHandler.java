package io.interlock.server.http;

import io.interlock.server.problem.ErrorShape;
import io.interlock.server.problem.Problems;
import io.interlock.service.PlainText;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns every failure into a problem. An unforeseen one is logged in full and answered without details. */
public final class FailureHandler implements Handler<RoutingContext> {

    private static final Logger log = LoggerFactory.getLogger(FailureHandler.class);

    private static final long LINGER_MILLIS = 1_000;
    private static final int BAD_REQUEST = 400;

    private final BiConsumer<RoutingContext, Problem> refusals;

    FailureHandler(BiConsumer<RoutingContext, Problem> refusals) {
        this.refusals = refusals;
    }

    @Override
    public void handle(RoutingContext context) {
        Throwable failure = context.failure();
        if (context.response().closed() && wasGivenUp(failure)) {
            // The client is gone and its wait was cancelled: nothing failed, and no answer can be sent.
            return;
        }
        // The router itself says 400 of what it cannot read. Its message has the query, which is not for the log.
        boolean told = failure == null || context.statusCode() == BAD_REQUEST;
        Problem problem = told ? byStatus(context) : said(context, failure);
        if (problem.kind() == ProblemCode.UNAUTHENTICATED || problem.kind() == ProblemCode.FORBIDDEN) {
            refusals.accept(context, problem);
        }
        answer(context, problem);
    }

    private static boolean wasGivenUp(@Nullable Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return cause instanceof CancellationException;
    }

    public static void answer(RoutingContext context, Problem problem) {
        Exchange.note(context, "problem", problem.code());
        HttpServerResponse response = context.response();
        if (response.ended() || response.closed()) {
            return;
        }
        if (response.headWritten()) {
            // Half an answer must not look like a whole one.
            context.request().connection().close();
            return;
        }
        if (problem.kind() == ProblemCode.UNAUTHENTICATED) {
            response.putHeader("WWW-Authenticate", "Bearer realm=\"interlock\"");
        }
        Duration wait = problem.retryAfter();
        if (wait != null) {
            response.putHeader("Retry-After", Long.toString(Math.max(1, (wait.toMillis() + 999) / 1_000)));
        }
        if (BodyReader.hasBody(context.request()) && !context.request().isEnded()) {
            cutOff(context);
        }
        ErrorShape shape = Exchange.SHAPE.in(context).orElse(ErrorShape.PROBLEM);
        response.setStatusCode(shape.status(problem.kind()))
                .putHeader(HttpHeaders.CONTENT_TYPE, shape.mediaType())
                .end(shape.of(Problems.json(problem, Exchange.requestId(context)))
                        .toBuffer());
    }

    /**
     * What is still on its way would be taken for the next request: the connection ends with the answer. A moment later, since
     * a client that is still sending would lose the answer with its connection.
     */
    private static void cutOff(RoutingContext context) {
        HttpServerRequest request = context.request();
        context.response().putHeader("Connection", "close");
        HttpServerFactory.lastRequestOf(request.connection());
        request.handler(discarded -> {});
        request.endHandler(end -> {});
        request.exceptionHandler(failure -> {});
        context.addEndHandler(ended -> {
            request.resume();
            context.vertx()
                    .setTimer(LINGER_MILLIS, timer -> request.connection().close());
        });
    }

    private static Problem said(RoutingContext context, Throwable failure) {
        Problem problem = Problems.of(failure);
        if (problem.kind() == ProblemCode.INTERNAL_ERROR) {
            log.error("request {} failed", Exchange.requestId(context), failure);
        } else if (problem.kind() == ProblemCode.STORE_UNAVAILABLE) {
            log.warn("request {}: {}", Exchange.requestId(context), failure.getMessage());
        }
        return problem;
    }

    private static Problem byStatus(RoutingContext context) {
        HttpServerRequest request = context.request();
        return switch (context.statusCode()) {
            case 404 -> Problem.of(ProblemCode.UNKNOWN_ROUTE, "There is no operation at " + shown(request) + ".");
            case BAD_REQUEST -> unreadable(context);
            default -> Problem.of(ProblemCode.INTERNAL_ERROR, "The server answered " + context.statusCode() + ".");
        };
    }

    private static Problem unreadable(RoutingContext context) {
        if (context.request().authority() == null) {
            return noHost();
        }
        return context.failure() instanceof HttpException
                ? Problem.invalid("query", "The query cannot be read.")
                : Problem.invalid("path", "The path cannot be read.");
    }

    static Problem noHost() {
        return Problem.invalid(
                "header/Host", "must be there exactly once, as a name or an address with an optional port");
    }

    static String shown(HttpServerRequest request) {
        String path = PlainText.oneLine(String.valueOf(request.path()));
        return path.length() > 200 ? path.substring(0, 200) + "…" : path;
    }
}
