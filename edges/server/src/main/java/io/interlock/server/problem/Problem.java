package io.interlock.server.problem;

import io.interlock.InterlockException;
import io.interlock.server.problem.ProblemCode.Catalogue;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One occurrence of a problem.
 *
 * @param code which
 * @param detail about this case
 * @param facts further members
 * @param retryAfter when to try again, or {@code null} if that is unknown or makes no sense
 */
public record Problem(
        ProblemCode code,
        String detail,
        JsonObject facts,
        @Nullable Duration retryAfter) {

    public static final String MEDIA_TYPE = "application/problem+json";

    /**
     * A mistake in a request.
     *
     * @param pointer where: a JSON pointer into the body, or {@code query/name}, {@code path/name}, {@code header/name}
     * @param detail what is wrong there
     */
    public record Mistake(String pointer, String detail) {}

    /** A problem about which nothing more is to be said. */
    public static Problem of(ProblemCode code, String detail) {
        return new Problem(code, detail, new JsonObject(), null);
    }

    /** A request with mistakes, at least one. */
    public static Problem invalid(List<Mistake> mistakes) {
        JsonArray errors = new JsonArray();
        mistakes.forEach(mistake ->
                errors.add(new JsonObject().put("pointer", mistake.pointer()).put("detail", mistake.detail())));
        String detail = mistakes.size() == 1
                ? "The request has 1 mistake."
                : "The request has " + mistakes.size() + " mistakes.";
        return new Problem(ProblemCode.INVALID_REQUEST, detail, new JsonObject().put("errors", errors), null);
    }

    public static Problem invalid(String pointer, String detail) {
        return invalid(List.of(new Mistake(pointer, detail)));
    }

    public Problem with(String name, @Nullable Object value) {
        return new Problem(code, detail, facts.copy().put(name, value), retryAfter);
    }

    public Problem retryAfter(Duration delay) {
        return new Problem(code, detail, facts, delay);
    }

    /** As an exception, for code that cannot answer but throw. */
    public ProblemException thrown() {
        return new ProblemException(this);
    }

    public int status() {
        return code.entry().status();
    }

    /** As RFC 9457 has it. The members of the standard come first and cannot be replaced by facts. */
    public JsonObject toJson(String requestId) {
        Catalogue.Entry entry = code.entry();
        JsonObject json = new JsonObject()
                .put("type", "urn:interlock:problem:" + code.code())
                .put("title", entry.title())
                .put("status", entry.status())
                .put("detail", detail)
                .put("instance", "urn:request:" + requestId)
                .put("code", code.code())
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

    /** Ends the handling of a request with a problem. */
    public static final class ProblemException extends InterlockException {

        private static final long serialVersionUID = 1L;

        private final transient Problem problem;

        ProblemException(Problem problem) {
            super(problem.code().code() + ": " + problem.detail());
            this.problem = problem;
        }

        /** Nothing: a problem is an answer, and the log needs no place in the code where it was found out. */
        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }

        @Override
        public String code() {
            return problem.code().code();
        }

        /** What to answer. */
        public Problem problem() {
            return problem;
        }
    }
}
