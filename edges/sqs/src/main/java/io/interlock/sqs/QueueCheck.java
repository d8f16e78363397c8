package io.interlock.sqs;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
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
}
