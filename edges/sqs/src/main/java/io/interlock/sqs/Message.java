package io.interlock.sqs;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;

/**
 * A message in hand.
 *
 * @param id what SQS calls it, for as long as it exists
 * @param group whose order it is part of
 * @param deduplicationId by what SQS knew it from others when it was sent
 * @param receives how often it has been received, this time included
 * @param sentAt when it was sent, by the clock of SQS
 * @param body what it says
 * @param receipt by what it is deleted, or hidden for longer
 */
record Message(
        String id, String group, String deduplicationId, int receives, Instant sentAt, String body, String receipt) {

    /**
     * By what it is known again when it comes again. A deduplication id that its sender chose counts for longer than the five minutes
     * of SQS. One that SQS made of the content does not: the same words, sent again on another day, are another wish.
     */
    String name() {
        return deduplicationId.isEmpty() || deduplicationId.equalsIgnoreCase(digest(body)) ? id : deduplicationId;
    }

    /** What content-based deduplication makes of a body. */
    static String digest(String body) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(body.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** For the log, without what it says. */
    @Override
    public String toString() {
        return "message " + id + " of group " + group;
    }
}
