package io.interlock.engine;

import io.interlock.InterlockException;
import org.jspecify.annotations.Nullable;

/** The work failed, and trying again cannot help. */
public final class PermanentFailureException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final String code;

    /** Failed, with a code for programs and a message for people. */
    public PermanentFailureException(String code, String message) {
        this(code, message, null);
    }

    public PermanentFailureException(String code, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.code = code;
    }

    /** For programs: the word the work chose. */
    @Override
    public String code() {
        return code;
    }
}
