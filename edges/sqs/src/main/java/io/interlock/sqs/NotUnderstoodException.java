package io.interlock.sqs;

import io.interlock.InterlockException;

/** A message is invalid. */
final class NotUnderstoodException extends InterlockException {

    private static final long serialVersionUID = 1L;

    NotUnderstoodException(String message) {
        super(message);
    }
}
