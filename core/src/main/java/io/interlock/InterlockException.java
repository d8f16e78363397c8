package io.interlock;

import org.jspecify.annotations.Nullable;

/**
 * A failure or an invalid request. A key that is held by another client is not an exception but a {@link Refusal}.
 *
 * <p>Every message names the value, the limit it exceeds and the next step.
 */
public abstract class InterlockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** A problem without a cause. */
    protected InterlockException(String message) {
        super(message);
    }

    /** A problem with a cause, if that is known. */
    protected InterlockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * The error code for programs. It is the same in problems of the REST interface and on the command line;
     * {@code internal-error} for failures that programs cannot handle.
     */
    public String code() {
        return "internal-error";
    }
}
