package io.interlock.sqs;

import io.interlock.InvalidSettingException;
import io.interlock.config.SqsSettings;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.SqsClientBuilder;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/**
 * A queue, and what is done with its messages. All methods block, throw {@link software.amazon.awssdk.core.exception.SdkException} if
 * SQS does not answer or refuses, and are safe for use by many threads.
 */
final class Queue implements AutoCloseable {

    private static final Duration CONNECT = Duration.ofSeconds(5);
    private static final Duration ANSWER = Duration.ofSeconds(10);

    private final String url;
    private final SqsSettings.Times times;
    private final AbortableHttp polls;
    private final SqsClient polling;
    private final SqsClient acting;

    private Queue(SqsSettings settings) {
        url = settings.queue().toString();
        times = settings.times();
        polls = new AbortableHttp(UrlConnectionHttpClient.builder()
                .connectionTimeout(CONNECT)
                .socketTimeout(times.longPoll().plus(ANSWER))
                .build());
        polling = client(settings.place()).httpClient(polls).build();
        acting = client(settings.place())
                .httpClient(UrlConnectionHttpClient.builder()
                        .connectionTimeout(CONNECT)
                        .socketTimeout(ANSWER)
                        .build())
                .build();
    }

    /**
     * The queue of {@code settings}; nothing is asked yet.
     *
     * @throws InvalidSettingException if nobody says in which region it is
     */
    static Queue of(SqsSettings settings) {
        try {
            return new Queue(settings);
        } catch (SdkClientException unknown) {
            throw new InvalidSettingException(
                    "sqs[].region", settings.queue(), "is in a region that nobody names", "set region, or AWS_REGION");
        }
    }

    /** The last part of a queue's URL. */
    static String name(URI queue) {
        String path = queue.getPath();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /**
     * Waits for a message. One at a time: while it is in hand, SQS keeps back the others of its group, so that what happens to it
     * costs none of them a receive.
     */
    Optional<Message> receive() {
        return polling
                .receiveMessage(request -> request.queueUrl(url)
                        .maxNumberOfMessages(1)
                        .waitTimeSeconds((int) times.longPoll().toSeconds())
                        .visibilityTimeout((int) times.visibility().toSeconds())
                        .messageSystemAttributeNames(
                                MessageSystemAttributeName.MESSAGE_GROUP_ID,
                                MessageSystemAttributeName.MESSAGE_DEDUPLICATION_ID,
                                MessageSystemAttributeName.SENT_TIMESTAMP,
                                MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT))
                .messages()
                .stream()
                .findFirst()
                .map(Queue::message);
    }

    /** Takes a message out of the queue for good. */
    void delete(Message message) {
        acting.deleteMessage(request -> request.queueUrl(url).receiptHandle(message.receipt()));
    }

    /** Lets others have a message after {@code time}. */
    void hide(Message message, Duration time) {
        // Seconds are the smallest unit there is; a part of one counts as a whole.
        int seconds = (int) time.plusMillis(999).toSeconds();
        acting.changeMessageVisibility(request ->
                request.queueUrl(url).receiptHandle(message.receipt()).visibilityTimeout(seconds));
    }

    /** What SQS says about this queue. */
    Map<QueueAttributeName, String> attributes() {
        return acting.getQueueAttributes(request -> request.queueUrl(url).attributeNames(QueueAttributeName.ALL))
                .attributes();
    }

    /** The URL of another queue of the same account. */
    String url(String name) {
        return acting.getQueueUrl(request -> request.queueName(name)).queueUrl();
    }

    /** About how many messages there are in the queue at {@code otherUrl}, those in hand included. */
    long size(String otherUrl) {
        List<QueueAttributeName> counts = List.of(
                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES,
                QueueAttributeName.APPROXIMATE_NUMBER_OF_MESSAGES_NOT_VISIBLE);
        Map<QueueAttributeName, String> said = acting.getQueueAttributes(
                        request -> request.queueUrl(otherUrl).attributeNames(counts))
                .attributes();
        return counts.stream()
                .mapToLong(count -> Long.parseLong(said.getOrDefault(count, "0")))
                .sum();
    }

    /** Breaks off every wait for a message, for good. */
    void stopReceiving() {
        polls.abort();
    }

    @Override
    public void close() {
        polling.close();
        acting.close();
    }

    private static SqsClientBuilder client(SqsSettings.Place place) {
        SqsClientBuilder builder = SqsClient.builder();
        // Elsewhere than with AWS a region is only a word in the signature.
        place.namedEndpoint()
                .ifPresent(address -> builder.endpointOverride(address).region(Region.US_EAST_1));
        place.namedRegion().ifPresent(region -> builder.region(Region.of(region)));
        return builder;
    }

    private static Message message(software.amazon.awssdk.services.sqs.model.Message received) {
        Map<MessageSystemAttributeName, String> said = received.attributes();
        return new Message(
                received.messageId(),
                said.getOrDefault(MessageSystemAttributeName.MESSAGE_GROUP_ID, ""),
                said.getOrDefault(MessageSystemAttributeName.MESSAGE_DEDUPLICATION_ID, ""),
                Integer.parseInt(said.getOrDefault(MessageSystemAttributeName.APPROXIMATE_RECEIVE_COUNT, "1")),
                sentAt(said.get(MessageSystemAttributeName.SENT_TIMESTAMP)),
                received.body(),
                received.receiptHandle());
    }

    /** Of one that does not say when, it is as if it had not waited at all. */
    private static Instant sentAt(@Nullable String milliseconds) {
        return milliseconds == null ? Instant.MAX : Instant.ofEpochMilli(Long.parseLong(milliseconds));
    }
}
