package io.interlock.sqs;

import io.interlock.InterlockException;

/** A queue is not suitable for this intake. */
final class UnfitQueueException extends InterlockException {

    private static final long serialVersionUID = 1L;

    UnfitQueueException(String queue, String cause, String nextStep) {
        super("queue " + queue + " " + cause + "; " + nextStep);
    }
}
