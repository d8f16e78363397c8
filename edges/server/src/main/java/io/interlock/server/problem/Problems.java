package io.interlock.server.problem;

import io.interlock.InvalidKeyException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.EngineClosedException;
import io.interlock.engine.Jobs.UnknownJobException;
import io.interlock.engine.Submission.IdempotencyMismatchException;
import io.interlock.engine.access.TenantLimitException;
import io.interlock.service.Problem;
import io.interlock.service.ProblemCode;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;

/** The problems that failures are, and what clients are told about them. */
public final class Problems {

    public static final String MEDIA_TYPE = "application/problem+json";

    private static final Duration STORE_BACK = Duration.ofSeconds(2);
    private static final Duration NODE_BACK = Duration.ofSeconds(1);
    private static final Duration TENANT_BACK = Duration.ofSeconds(5);

    /** Settings as the engine calls them, where the API has another name for them. */
    private static final Map<String, String> FIELDS = Map.of(
            "max-wait", "maxWait",
            "max-runtime", "maxRuntime",
            "idempotency key", "idempotencyKey",
            "holder label", "holder",
            "number of labels", "labels");

    private Problems() {}

    /** As in RFC 9457. The members of the standard come first, and facts cannot replace them. */
    public static JsonObject json(Problem problem, String requestId) {
        Catalogue.Entry entry = Catalogue.of(problem.kind());
        JsonObject json = new JsonObject()
                .put("type", "urn:interlock:problem:" + problem.code())
                .put("title", entry.title())
                .put("status", entry.status())
                .put("detail", problem.detail())
                .put("instance", "urn:request:" + requestId)
                .put("code", problem.code())
                .put("retryable", entry.retryable());
        Duration wait = problem.retryAfter();
        if (wait != null) {
            json.put("retryAfterMs", wait.toMillis());
        }
        problem.facts().map().forEach((name, value) -> {
            if (!json.containsKey(name)) {
                json.put(name, value);
            }
        });
        return json;
    }

    public static int status(Problem problem) {
        return Catalogue.of(problem.kind()).status();
    }

    /** The problem of {@code failure}. An unforeseen one has no details: those are for the log. */
    public static Problem of(Throwable failure) {
        Throwable cause = unwrapped(failure);
        if (cause instanceof Problem known) {
            return known;
        }
        if (cause instanceof InvalidSettingException invalid) {
            return Problem.invalid(pointer(invalid.setting()), message(invalid));
        }
        if (cause instanceof InvalidKeyException invalid) {
            return Problem.invalid("/key", message(invalid));
        }
        if (cause instanceof UnknownJobException unknown) {
            Problem problem = Problem.of(ProblemCode.UNKNOWN_JOB, "There is no job " + unknown.job() + nearest(unknown))
                    .with("job", unknown.job());
            return unknown.closest()
                    .map(closest -> problem.with("nearest", closest))
                    .orElse(problem);
        }
        if (cause instanceof IdempotencyMismatchException mismatch) {
            return Problem.of(
                            ProblemCode.IDEMPOTENCY_MISMATCH,
                            mismatch.idempotencyKey() + " was used for run "
                                    + mismatch.run().id() + " of another content.")
                    .with("idempotencyKey", mismatch.idempotencyKey())
                    .with("runId", mismatch.run().id().toString());
        }
        if (cause instanceof TenantLimitException full) {
            return Problem.of(ProblemCode.TENANT_LIMIT, message(full))
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
            return Problem.of(ProblemCode.STORE_UNAVAILABLE, "The store does not answer; nothing was granted.")
                    .retryAfter(STORE_BACK);
        }
        return Problem.of(
                ProblemCode.INTERNAL_ERROR, "The server failed; its log has the cause under this request id.");
    }

    /** This node stops; another one may be asked. */
    public static Problem stopping() {
        return Problem.of(ProblemCode.SHUTTING_DOWN, "This node is stopping.").retryAfter(NODE_BACK);
    }

    /** This node is asked for more than it can look at. */
    public static Problem overloaded() {
        return Problem.of(ProblemCode.OVERLOADED, "This node has as many requests under way as it can hold.")
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
