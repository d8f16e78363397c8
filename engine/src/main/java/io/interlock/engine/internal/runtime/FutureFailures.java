package io.interlock.engine.internal.runtime;

import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;

/** What really failed behind a future. */
public final class FutureFailures {

    private FutureFailures() {}

    public static Throwable cause(Throwable failure) {
        boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
        Throwable cause = failure.getCause();
        return wrapped && cause != null ? cause(cause) : failure;
    }

    /** {@code failure} as it was thrown, to be thrown again. */
    public static RuntimeException unchecked(Throwable failure) {
        Throwable cause = cause(failure);
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException exception ? exception : new CompletionException(cause);
    }
}
