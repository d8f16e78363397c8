package io.interlock.sqs;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;

/** Counts the dead letters of a queue, and logs when their number grows. Thread-safe. */
final class DeadLetterWatch {

    private static final Logger log = LoggerFactory.getLogger(DeadLetterWatch.class);

    private final Queue queue;
    private final QueueCheck check;
    private volatile long seen;

    DeadLetterWatch(Queue queue, QueueCheck check) {
        this.queue = queue;
        this.check = check;
    }

    /** The number at the last count. */
    long seen() {
        return seen;
    }

    void round() {
        try {
            QueueCheck.Redrive redrive = check.require();
            long now = queue.size(redrive.url());
            if (now > seen) {
                log.warn(
                        "{} has {} dead letters, {} more than before; read them with aws sqs receive-message --queue-url {},"
                                + " and send them back with aws sqs start-message-move-task",
                        redrive.name(),
                        now,
                        now - seen,
                        redrive.url());
            }
            seen = now;
        } catch (SdkException | UnfitQueueException away) {
            log.debug("could not count dead letters", away);
        }
    }
}
