package io.interlock.server.problem;

import io.interlock.InvalidKeyException;
import io.interlock.InvalidSettingException;
import io.interlock.StoreUnavailableException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** Which problem an exception is. */
public final class Problems {

    private static final Duration STORE_BACK = Duration.ofSeconds(2);

    /** Settings as the engine calls them, where the API has another name for them. */
    private static final Map<String, String> FIELDS = Map.of(
            "max-wait", "maxWait",
            "max-runtime", "maxRuntime",
            "ttl", "ttl",
            "number of labels", "labels",
            "traceparent", "traceparent");

    private Problems() {}

    /** The problem of {@code failure}. What nobody foresaw says nothing about itself: that belongs into the log. */
    public static Problem of(Throwable failure) {
        Throwable cause = unwrapped(failure);
        if (cause instanceof ProblemException known) {
            return known.problem();
        }
        if (cause instanceof InvalidSettingException invalid) {
            return Problem.invalid(pointer(invalid.setting()), message(invalid));
        }
        if (cause instanceof InvalidKeyException invalid) {
            return Problem.invalid("/key", message(invalid));
        }
        if (cause instanceof StoreUnavailableException) {
            // Which store, and what its driver said, is for the log: tenants have no business with it.
            return Problem.of(ProblemCode.STORE_UNAVAILABLE, "The store does not answer; nothing was granted.")
                    .retryAfter(STORE_BACK);
        }
        return Problem.of(
                ProblemCode.INTERNAL_ERROR, "The server failed; its log has the cause under this request id.");
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

    private static String pointer(String setting) {
        String field = FIELDS.getOrDefault(setting, setting);
        return field.matches("[A-Za-z]+") ? "/" + field : "";
    }

    private static String message(Throwable failure) {
        return String.valueOf(failure.getMessage());
    }
}
