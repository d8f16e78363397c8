package io.interlock.locks.internal;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Small steps between futures and plain calls. */
final class Futures {

    private Futures() {}

    /** What really failed. */
    static Throwable cause(Throwable failure) {
        boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
        Throwable cause = failure.getCause();
        return wrapped && cause != null ? cause(cause) : failure;
    }

    /** The value of a stage that is done, or its failure as it was thrown. */
    static <T> T done(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException failure) {
            throw unchecked(cause(failure));
        }
    }

    static RuntimeException unchecked(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException exception ? exception : new CompletionException(failure);
    }

    /** Completes {@code result} with {@code failure}, or else with what {@code value} gives or throws. */
    static <T> void settle(CompletableFuture<T> result, @Nullable Throwable failure, Supplier<T> value) {
        if (failure != null) {
            result.completeExceptionally(cause(failure));
            return;
        }
        try {
            result.complete(value.get());
        } catch (RuntimeException | Error thrown) {
            result.completeExceptionally(thrown);
        }
    }
}
