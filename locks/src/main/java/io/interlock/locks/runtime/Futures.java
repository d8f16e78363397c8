package io.interlock.locks.runtime;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Conversions between futures and plain calls. */
public final class Futures {

    private Futures() {}

    /** What failed behind a future. */
    public static Throwable cause(Throwable failure) {
        boolean wrapped = failure instanceof CompletionException || failure instanceof ExecutionException;
        Throwable cause = failure.getCause();
        return wrapped && cause != null ? cause(cause) : failure;
    }

    /** The value of a stage that is done, or its failure as it was thrown. */
    public static <T> T done(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException failure) {
            throw unchecked(failure);
        }
    }

    /** The stage that {@code call} returns, or a failed one if it throws, for instance for want of threads. */
    public static <T> CompletionStage<T> begun(Supplier<? extends CompletionStage<T>> call) {
        try {
            return call.get();
        } catch (RuntimeException | Error thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    /** Runs {@code action} when {@code future} is over. Hand out {@code future} itself: cancelling what depends on it does not end it. */
    public static <T> void whenOver(
            CompletableFuture<T> future, BiConsumer<? super @Nullable T, ? super @Nullable Throwable> action) {
        CompletionStage<T> stage = future;
        stage.whenComplete(action);
    }

    /** {@code failure} as it was thrown, to be thrown again. */
    public static RuntimeException unchecked(Throwable failure) {
        Throwable cause = cause(failure);
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException exception ? exception : new CompletionException(cause);
    }

    /** Completes {@code result} with {@code failure}, or else with what {@code value} returns or throws. */
    public static <T> void settle(CompletableFuture<T> result, @Nullable Throwable failure, Supplier<T> value) {
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
