package io.interlock.server.launch;

import io.interlock.InterlockException;

/** The command line is wrong. */
final class UsageException extends InterlockException {

    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
