package io.interlock.locks;

import io.interlock.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * What came of {@link Locks#call}.
 *
 * @param <T> what the task returns
 */
public sealed interface Outcome<T extends @Nullable Object> {

    /**
     * The task ran under the lease.
     *
     * @param value what it returned
     * @param <T> what the task returns
     */
    record Ran<T extends @Nullable Object>(T value) implements Outcome<T> {}

    /**
     * The task did not run, because other work runs under this key, or may still.
     *
     * @param refusal who, since when, and what happens next
     * @param <T> what the task would have returned
     */
    record AlreadyRunning<T extends @Nullable Object>(Refusal refusal) implements Outcome<T> {}
}
