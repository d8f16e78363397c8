package io.interlock;

/**
 * Something broke, or was asked wrongly. A key that somebody else has is no exception but an answer.
 *
 * <p>Every message names the value, the limit it broke and the next step.
 */
public abstract class InterlockException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    /** A problem found here. */
    protected InterlockException(String message) {
        super(message);
    }

    /** A problem found below. */
    protected InterlockException(String message, Throwable cause) {
        super(message, cause);
    }

    /**
     * What it is, for programs. The same word everywhere: in a problem of the REST interface, on the command line, and here;
     * {@code internal-error} for what programs cannot do anything about.
     */
    public String code() {
        return "internal-error";
    }
}
