package io.interlock.engine;

import io.interlock.InterlockException;
import org.jspecify.annotations.Nullable;

/**
 * The handler gives its attempt up, but the work may go on elsewhere. The key is not released: the lease is left to end by itself,
 * unless the process that works keeps it alive or reports the end with its proof. Then the run goes on as after a crash, or as it was told to stop.
 */
public final class WorkGoesOnException extends InterlockException {

    private static final long serialVersionUID = 1L;

    /** Given up for this reason. */
    public WorkGoesOnException(String message, @Nullable Throwable cause) {
        super(message);
        if (cause != null) {
            initCause(cause);
        }
    }
}
