package io.interlock.batch;

import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a request in its batch: an answer, its own failure, or neither, in which case it is repeated alone.
 *
 * @param <A> the kind of answer
 */
record BatchOutcome<A>(@Nullable A answer, @Nullable Throwable failure) {

    static <A> BatchOutcome<A> answered(A answer) {
        return new BatchOutcome<>(answer, null);
    }

    static <A> BatchOutcome<A> failed(Throwable failure) {
        return new BatchOutcome<>(null, failure);
    }

    static <A> BatchOutcome<A> again() {
        return new BatchOutcome<>(null, null);
    }

    boolean alone() {
        return answer == null && failure == null;
    }

    A get() {
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
        if (failure != null) {
            throw new CompletionException(failure);
        }
        if (answer == null) {
            throw new IllegalStateException("a request that must be repeated has no answer yet");
        }
        return answer;
    }
}
