package io.interlock.batch;

import java.util.Collection;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * A waiting request.
 */
abstract class Item<Q, A> {

    final Q request;
    /** The keys that must not be in two batches in flight. */
    final Collection<?> keys;

    Item(Q request, Collection<?> keys) {
        this.request = request;
        this.keys = keys;
    }

    /** Makes the caller lead, on its own thread. Throws if it has no thread to lead on. */
    abstract void becomeLeader();

    /** Delivers the outcome to the caller. Called once, by the leader. */
    abstract void settle(Outcome<A> outcome);

    /**
     * The outcome of a request in its batch: an answer, its own failure, or neither, in which case it is repeated
     * alone.
     */
    record Outcome<A>(@Nullable A answer, @Nullable Throwable failure) {

        static <A> Outcome<A> answered(A answer) {
            return new Outcome<>(answer, null);
        }

        static <A> Outcome<A> failed(Throwable failure) {
            return new Outcome<>(null, failure);
        }

        static <A> Outcome<A> again() {
            return new Outcome<>(null, null);
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
}
