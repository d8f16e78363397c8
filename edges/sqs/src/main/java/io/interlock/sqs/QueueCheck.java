package io.interlock.sqs;

import io.interlock.InterlockException;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/**
 * Checks once whether a queue is suitable: it keeps order, and has a dead-letter queue, so that an invalid message
 * does not block its group for ever. Thread-safe.
 */
final class QueueCheck {

    private static final Pattern TARGET = Pattern.compile("\"deadLetterTargetArn\"\\s*:\\s*\"([^\"]+)\"");
    private static final Pattern RECEIVES = Pattern.compile("\"maxReceiveCount\"\\s*:\\s*\"?(\\d+)\"?");

    private final Queue queue;
    private final String name;
    private @Nullable Redrive found;

    QueueCheck(Queue queue, String name) {
        this.queue = queue;
        this.name = name;
    }

    /**
     * The dead-letter queue.
     *
     * @param receives the receives after which a message goes there
     */
    record Redrive(int receives, String name, String url) {}

    /**
     * Checks the queue, unless that is done already.
     *
     * @throws UnfitQueueException naming what is missing
     */
    synchronized Redrive require() {
        if (found == null) {
            found = look();
        }
        return found;
    }

    private Redrive look() {
        Map<QueueAttributeName, String> said = queue.attributes();
        if (!"true".equals(said.get(QueueAttributeName.FIFO_QUEUE))) {
            throw new UnfitQueueException(
                    name, "is not a FIFO queue", "create a FIFO queue, which keeps the order within a group");
        }
        String policy = said.getOrDefault(QueueAttributeName.REDRIVE_POLICY, "");
        Matcher target = TARGET.matcher(policy);
        Matcher receives = RECEIVES.matcher(policy);
        if (!target.find() || !receives.find()) {
            throw new UnfitQueueException(
                    name,
                    "has no redrive policy, so an invalid message would block its group for its whole retention",
                    "set a redrive policy with maxReceiveCount 3 and a FIFO dead-letter queue");
        }
        String deadLetters = target.group(1).substring(target.group(1).lastIndexOf(':') + 1);
        return new Redrive(Integer.parseInt(receives.group(1)), deadLetters, queue.url(deadLetters));
    }

    /** A queue is not suitable for this intake. */
    static final class UnfitQueueException extends InterlockException {

        private static final long serialVersionUID = 1L;

        UnfitQueueException(String queue, String cause, String nextStep) {
            super("queue " + queue + " " + cause + "; " + nextStep);
        }
    }

    /** Counts the dead letters of a queue, and logs when their number grows. Thread-safe. */
    static final class DeadLetterWatch {

        private static final Logger log = LoggerFactory.getLogger(DeadLetterWatch.class);

        private final Queue queue;
        private final QueueCheck check;
        private volatile long seen;

        DeadLetterWatch(Queue queue, QueueCheck check) {
            this.queue = queue;
            this.check = check;
        }

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
            } catch (SdkException | QueueCheck.UnfitQueueException away) {
                log.debug("could not count dead letters", away);
            }
        }
    }
}
