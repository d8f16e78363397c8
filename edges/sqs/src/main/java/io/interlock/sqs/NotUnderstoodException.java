package io.interlock.sqs;

import io.interlock.InterlockException;

/** A message does not say what to run. */
final class NotUnderstoodException extends InterlockException {

    private static final long serialVersionUID = 1L;

    NotUnderstoodException(String message) {
        super(message);
    }
}
