package io.interlock.server.problem;

import io.interlock.InterlockException;
import io.interlock.server.problem.ProblemCode.Catalogue;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One occurrence of a problem; throw it to end a request with it. Not safe for use by many threads while facts are added. */
public final class Problem extends InterlockException {

    public static final String MEDIA_TYPE = "application/problem+json";

    private static final long serialVersionUID = 1L;

    private final ProblemCode kind;
    private final String detail;
    private final transient JsonObject facts;
    private @Nullable Duration retryAfter;

    Problem(ProblemCode kind, String detail, JsonObject facts) {
        super(kind.code() + ": " + detail);
        this.kind = kind;
        this.detail = detail;
        this.facts = facts;
    }

    /**
     * A mistake in a request.
     *
     * @param pointer where: a JSON pointer into the body, or {@code query/name}, {@code path/name}, {@code header/name}
     */
    public record Mistake(String pointer, String detail) {}

    /** A problem without facts, about which {@code detail} says all. */
    public static Problem of(ProblemCode kind, String detail) {
        return new Problem(kind, detail, new JsonObject());
    }

    /** A request with mistakes, at least one. */
    public static Problem invalid(List<Mistake> mistakes) {
        JsonArray errors = new JsonArray();
        mistakes.forEach(mistake ->
                errors.add(new JsonObject().put("pointer", mistake.pointer()).put("detail", mistake.detail())));
        String detail = mistakes.size() == 1
                ? "The request has 1 mistake."
                : "The request has " + mistakes.size() + " mistakes.";
        return of(ProblemCode.INVALID_REQUEST, detail).with("errors", errors);
    }

    public static Problem invalid(String pointer, String detail) {
        return invalid(List.of(new Mistake(pointer, detail)));
    }

    public Problem with(String name, @Nullable Object value) {
        facts.put(name, value);
        return this;
    }

    public Problem retryAfter(Duration delay) {
        retryAfter = delay;
        return this;
    }

    public ProblemCode kind() {
        return kind;
    }

    public String detail() {
        return detail;
    }

    public int status() {
        return kind.entry().status();
    }

    JsonObject facts() {
        return facts;
    }

    /** When to try again; {@code null} if that is unknown or makes no sense. */
    public @Nullable Duration retryAfter() {
        return retryAfter;
    }

    @Override
    public String code() {
        return kind.code();
    }

    /** Does nothing: a problem is an answer, and the log needs no place in the code. */
    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }

    /** As in RFC 9457. The members of the standard come first, and facts cannot replace them. */
    public JsonObject toJson(String requestId) {
        Catalogue.Entry entry = kind.entry();
        JsonObject json = new JsonObject()
                .put("type", "urn:interlock:problem:" + kind.code())
                .put("title", entry.title())
                .put("status", status())
                .put("detail", detail)
                .put("instance", "urn:request:" + requestId)
                .put("code", kind.code())
                .put("retryable", entry.retryable());
        if (retryAfter != null) {
            json.put("retryAfterMs", retryAfter.toMillis());
        }
        facts.forEach(fact -> {
            if (!json.containsKey(fact.getKey())) {
                json.put(fact.getKey(), fact.getValue());
            }
        });
        return json;
    }
}
