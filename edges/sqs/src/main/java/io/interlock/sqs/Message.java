package io.interlock.sqs;

import io.interlock.Sha256;
import java.time.Instant;

/**
 * A received message.
 *
 * @param receives how often it has been received, this time included
 * @param sentAt when it was sent, by the clock of SQS
 * @param receipt the handle to delete it or to change its visibility timeout
 */
record Message(
        String id, String group, String deduplicationId, int receives, Instant sentAt, String body, String receipt) {

    /**
     * The name by which a repeated delivery is recognised. A deduplication id chosen by the sender counts for longer
     * than the five minutes of SQS. One that SQS derived from the content does not: the same content, sent again on
     * another day, is a new request.
     */
    String name() {
        return deduplicationId.isEmpty() || deduplicationId.equalsIgnoreCase(digest(body)) ? id : deduplicationId;
    }

    /** The content-based deduplication id of a body. */
    static String digest(String body) {
        return Sha256.hex(body);
    }

    /** For the log, without the content. */
    @Override
    public String toString() {
        return "message " + id + " of group " + group;
    }
}
