package io.interlock.sqs;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/**
 * Looks once whether a queue is set up so that nothing is lost and nothing blocks for ever: it keeps order, and has a queue for
 * dead letters. Safe for use by many threads.
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
     * Where dead letters go.
     *
     * @param receives after how many receives
     * @param name the name of their queue
     * @param url its URL
     */
    record Redrive(int receives, String name, String url) {}

    /**
     * Looks, if nobody has yet.
     *
     * @throws UnfitQueueException saying what is missing
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
            throw new UnfitQueueException(name, "is no FIFO queue", "order within a group needs one");
        }
        String policy = said.getOrDefault(QueueAttributeName.REDRIVE_POLICY, "");
        Matcher target = TARGET.matcher(policy);
        Matcher receives = RECEIVES.matcher(policy);
        if (!target.find() || !receives.find()) {
            throw new UnfitQueueException(
                    name,
                    "has no redrive policy, so a message nobody understands would block its group for as long as it is kept",
                    "give it one with maxReceiveCount 3 and a FIFO queue for dead letters");
        }
        String deadLetters = target.group(1).substring(target.group(1).lastIndexOf(':') + 1);
        return new Redrive(Integer.parseInt(receives.group(1)), deadLetters, queue.url(deadLetters));
    }
}
