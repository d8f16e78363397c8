package io.interlock.locks;

import io.interlock.Refusal;
import org.jspecify.annotations.Nullable;

/** What came of {@link Locks#call}. */
public sealed interface Outcome<T extends @Nullable Object> {

    /** The task ran under the lease. */
    record Ran<T extends @Nullable Object>(T value) implements Outcome<T> {}

    /**
     * The task did not run, because other work runs under this key, or may still.
     *
     * @param refusal who, since when, and what happens next
     */
    record AlreadyRunning<T extends @Nullable Object>(Refusal refusal) implements Outcome<T> {}
}
