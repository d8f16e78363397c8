package io.interlock.server.problem;

import io.interlock.InterlockException;
import io.interlock.InvalidKeyException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.EngineClosedException;
import io.interlock.engine.Jobs.UnknownJobException;
import io.interlock.engine.Submission.IdempotencyMismatchException;
import io.interlock.engine.access.TenantLimitException;
import io.interlock.server.problem.ProblemCode.Catalogue;
import io.interlock.service.OperationException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/** One occurrence of a problem; throw it to end a request with it. Not safe for use by many threads while facts are added. */
public final class Problem extends InterlockException {

    public static final String MEDIA_TYPE = "application/problem+json";

    private static final long serialVersionUID = 1L;

    private static final Duration STORE_BACK = Duration.ofSeconds(2);
    private static final Duration NODE_BACK = Duration.ofSeconds(1);
    private static final Duration TENANT_BACK = Duration.ofSeconds(5);

    /** Settings as the engine calls them, where the API has another name for them. */
    private static final Map<String, String> FIELDS = Map.of(
            "max-wait", "maxWait",
            "max-runtime", "maxRuntime",
            "ttl", "ttl",
            "idempotency key", "idempotencyKey",
            "holder label", "holder",
            "number of labels", "labels",
            "traceparent", "traceparent");

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

    /** The problem of {@code failure}. An unforeseen one has no details: those are for the log. */
    public static Problem of(Throwable failure) {
        Throwable cause = unwrapped(failure);
        if (cause instanceof Problem known) {
            return known;
        }
        if (cause instanceof OperationException refused) {
            Problem problem = new Problem(
                    ProblemCode.of(refused.code()),
                    refused.detail(),
                    new JsonObject(refused.facts().map()));
            problem.retryAfter = refused.retryAfter();
            return problem;
        }
        if (cause instanceof InvalidSettingException invalid) {
            return invalid(pointer(invalid.setting()), message(invalid));
        }
        if (cause instanceof InvalidKeyException invalid) {
            return invalid("/key", message(invalid));
        }
        if (cause instanceof UnknownJobException unknown) {
            Problem problem = of(ProblemCode.UNKNOWN_JOB, "There is no job " + unknown.job() + nearest(unknown))
                    .with("job", unknown.job());
            return unknown.closest()
                    .map(closest -> problem.with("nearest", closest))
                    .orElse(problem);
        }
        if (cause instanceof IdempotencyMismatchException mismatch) {
            return of(
                            ProblemCode.IDEMPOTENCY_MISMATCH,
                            mismatch.idempotencyKey() + " was used for run "
                                    + mismatch.run().id() + " of another content.")
                    .with("idempotencyKey", mismatch.idempotencyKey())
                    .with("runId", mismatch.run().id().toString());
        }
        if (cause instanceof TenantLimitException full) {
            return of(ProblemCode.TENANT_LIMIT, message(full))
                    .with("setting", full.setting())
                    .with("limit", full.limit())
                    .retryAfter(TENANT_BACK);
        }
        if (cause instanceof EngineClosedException || cause instanceof RejectedExecutionException) {
            // The engine's calls wait in a line without a limit, and the server's own pools say that they are full by a
            // problem.
            return stopping();
        }
        if (cause instanceof StoreUnavailableException) {
            // Which store, and what its driver said, is for the log: tenants have no business with it.
            return of(ProblemCode.STORE_UNAVAILABLE, "The store does not answer; nothing was granted.")
                    .retryAfter(STORE_BACK);
        }
        return of(ProblemCode.INTERNAL_ERROR, "The server failed; its log has the cause under this request id.");
    }

    /** This node stops; another one may be asked. */
    public static Problem stopping() {
        return of(ProblemCode.SHUTTING_DOWN, "This node is stopping.").retryAfter(NODE_BACK);
    }

    /** This node is asked for more than it can look at. */
    public static Problem overloaded() {
        return of(ProblemCode.OVERLOADED, "This node has as many requests under way as it can hold.")
                .retryAfter(NODE_BACK);
    }

    /** Without the wrappings that stages and futures put around. */
    public static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private static String nearest(UnknownJobException unknown) {
        return unknown.closest().map(closest -> "; nearest is " + closest).orElse("") + ".";
    }

    private static String pointer(String setting) {
        String field = FIELDS.getOrDefault(setting, setting);
        return field.matches("[A-Za-z]+") ? "/" + field : "";
    }

    private static String message(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }
}
