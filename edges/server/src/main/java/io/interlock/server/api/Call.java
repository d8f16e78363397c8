package io.interlock.server.api;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.server.access.Caller;
import io.interlock.server.http.Exchange;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One call of an operation: checked parameters and body, and who makes it. */
final class Call {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final Pattern PREFER_WAIT = Pattern.compile("(?:^|[,;\\s])wait=\"?(\\d{1,6})\"?(?:$|[,;\\s])");

    private final RoutingContext context;
    private final Map<String, Object> parameters;
    private final JsonObject body;

    Call(RoutingContext context, Map<String, Object> parameters, JsonObject body) {
        this.context = context;
        this.parameters = parameters;
        this.body = body;
    }

    /** Who makes it; nobody is known on a public operation. */
    Caller caller() {
        return Exchange.caller(context)
                .orElseThrow(() -> new IllegalStateException("a public operation asks who calls"));
    }

    String tenant() {
        return caller().tenant();
    }

    String requestId() {
        return Exchange.requestId(context);
    }

    /** The body; empty if there was none. */
    JsonObject body() {
        return body;
    }

    /** A parameter the contract requires or gives a default. */
    <T> T required(String name, Class<T> type) {
        return type.cast(Objects.requireNonNull(parameters.get(name), name));
    }

    /** A parameter that may be left out. */
    <T> Optional<T> optional(String name, Class<T> type) {
        return Optional.ofNullable(parameters.get(name)).map(type::cast);
    }

    /** A duration of the body. */
    Optional<Duration> duration(String field) {
        String text = body.getString(field);
        if (text == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(DurationText.parse(field, text));
        } catch (InvalidSettingException invalid) {
            throw Problem.invalid("/" + field, String.valueOf(invalid.getMessage()))
                    .thrown();
        }
    }

    /** How long the caller is willing to wait for an answer: field {@code wait} or header {@code Prefer}, at most 30 s. */
    Duration patience() {
        Duration wanted = duration("wait").orElseGet(this::preferred);
        return wanted.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : wanted;
    }

    private Duration preferred() {
        String prefer = context.request().getHeader("Prefer");
        Matcher wait = PREFER_WAIT.matcher(prefer == null ? "" : prefer);
        return wait.find() ? Duration.ofSeconds(Long.parseLong(wait.group(1))) : Duration.ZERO;
    }

    /** The W3C trace the call belongs to, if it is one. */
    Optional<String> traceparent() {
        return Optional.ofNullable(context.request().getHeader("traceparent"))
                .filter(trace -> trace.matches("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}"));
    }

    /** Runs {@code action} when the client goes away or has its answer. */
    void whenOver(Runnable action) {
        context.addEndHandler(ended -> action.run());
    }

    /** The answer to ids that are unknown, malformed or another tenant's: all the same. */
    static Problem notFound(String what, String id) {
        return Problem.of(ProblemCode.NOT_FOUND, "There is no " + what + " " + id + ".");
    }
}
