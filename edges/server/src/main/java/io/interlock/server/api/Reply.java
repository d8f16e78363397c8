package io.interlock.server.api;

import io.interlock.server.problem.Problems;
import io.interlock.service.Facts;
import io.interlock.service.Problem;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What an operation answers. Problems are thrown, but for one that is as usual as a success.
 *
 * @param stream writes the body from now on until the client goes away, or {@code null} if {@code body} is all
 * @param refusal the problem that is the answer, or {@code null}
 */
public record Reply(
        int status,
        @Nullable JsonObject body,
        Map<String, String> headers,
        @Nullable Consumer<HttpServerResponse> stream,
        @Nullable Problem refusal) {

    private Reply(int status, @Nullable JsonObject body, Map<String, String> headers) {
        this(status, body, headers, null, null);
    }

    public static Reply ok(JsonObject body) {
        return new Reply(200, body, Map.of());
    }

    /** A body that {@code stream} writes until the client goes away. */
    public static Reply stream(Map<String, String> headers, Consumer<HttpServerResponse> stream) {
        return new Reply(200, null, headers, stream, null);
    }

    /** A refusal. Thrown, it would be wrapped on its way, and the trace of the wrapping costs more than the rest of the answer. */
    public static Reply refused(Problem problem) {
        return new Reply(Problems.status(problem), null, Map.of(), null, problem);
    }

    public static Reply ok(Facts body) {
        return ok(new JsonObject(body.map()));
    }

    public static Reply items(List<Facts> items) {
        return ok(Facts.with("items", items));
    }

    public static Reply created(Facts body, String location) {
        return new Reply(201, new JsonObject(body.map()), Map.of("Location", location));
    }

    public static Reply accepted(Facts body) {
        return new Reply(202, new JsonObject(body.map()), Map.of());
    }

    /** A conflict that a contract tells in words of its own. */
    public static Reply conflict(Facts body) {
        return new Reply(409, new JsonObject(body.map()), Map.of());
    }

    public static Reply nothing() {
        return new Reply(204, null, Map.of());
    }

    public Reply header(String name, String value) {
        Map<String, String> more = new TreeMap<>(headers);
        more.put(name, value);
        return new Reply(status, body, more, stream, refusal);
    }

    public Reply retryAfter(Duration wait) {
        return header("Retry-After", Long.toString(Math.max(1, (wait.toMillis() + 999) / 1_000)));
    }
}
