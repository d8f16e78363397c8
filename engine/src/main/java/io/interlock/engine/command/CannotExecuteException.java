package io.interlock.engine.command;

import io.interlock.InterlockException;

/** There is no such program, or it may not be executed. Nothing was started. */
public final class CannotExecuteException extends InterlockException {

    private static final long serialVersionUID = 1L;

    private final int exitCode;

    CannotExecuteException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
    }

    /** 127 if it was not found, 126 if it was but cannot be executed: what a shell would answer. */
    public int exitCode() {
        return exitCode;
    }
}
