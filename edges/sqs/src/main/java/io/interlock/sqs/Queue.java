package io.interlock.sqs;

import io.interlock.InvalidSettingException;
import io.interlock.Sha256;
import io.interlock.config.SqsSettings;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.SqsClientBuilder;
import software.amazon.awssdk.services.sqs.model.MessageSystemAttributeName;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/**
 * A queue and the operations on its messages. All methods block, throw
 * {@link software.amazon.awssdk.core.exception.SdkException} if SQS does not answer or refuses, and are thread-safe.
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
     * The queue of {@code settings}; sends no request yet.
     *
     * @throws InvalidSettingException if its region is not known
     */
    static Queue of(SqsSettings settings) {
        try {
            return new Queue(settings);
        } catch (SdkClientException unknown) {
            throw new InvalidSettingException(
                    "sqs[].region", settings.queue(), "has no known region", "set region, or AWS_REGION");
        }
    }

    /** The last part of a queue's URL. */
    static String name(URI queue) {
        String path = queue.getPath();
        return path.substring(path.lastIndexOf('/') + 1);
    }

    /**
     * Waits for one message. While it is received, SQS holds back the others of its group, so that its failures cost
     * them no receive.
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

    void delete(Message message) {
        acting.deleteMessage(request -> request.queueUrl(url).receiptHandle(message.receipt()));
    }

    /** Makes a message visible to other receivers after {@code time}. */
    void hide(Message message, Duration time) {
        // The unit is seconds; round up.
        int seconds = (int) time.plusMillis(999).toSeconds();
        acting.changeMessageVisibility(request ->
                request.queueUrl(url).receiptHandle(message.receipt()).visibilityTimeout(seconds));
    }

    Map<QueueAttributeName, String> attributes() {
        return acting.getQueueAttributes(request -> request.queueUrl(url).attributeNames(QueueAttributeName.ALL))
                .attributes();
    }

    /** The URL of another queue of the same account. */
    String url(String name) {
        return acting.getQueueUrl(request -> request.queueName(name)).queueUrl();
    }

    /** The approximate number of messages in the queue at {@code otherUrl}, including received ones. */
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

    /** Aborts all current and later waits for messages. */
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
        // Outside of AWS the region only appears in the signature.
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

    /** Without a send time, the message counts as just sent. */
    private static Instant sentAt(@Nullable String milliseconds) {
        return milliseconds == null ? Instant.MAX : Instant.ofEpochMilli(Long.parseLong(milliseconds));
    }

    /**
     * A received message.
     *
     * @param receives how often it has been received, this time included
     * @param sentAt when it was sent, by the clock of SQS
     * @param receipt the handle to delete it or to change its visibility timeout
     */
    record Message(
            String id,
            String group,
            String deduplicationId,
            int receives,
            Instant sentAt,
            String body,
            String receipt) {

        /**
         * The name by which a repeated delivery is recognised. A deduplication id chosen by the sender counts for longer
         * than the five minutes of SQS. One that SQS derived from the content does not: the same content, sent again on
         * another day, is a new request. In a queue of high throughput it counts within its group; neither has a blank.
         */
        String name() {
            return deduplicationId.isEmpty() || deduplicationId.equalsIgnoreCase(digest(body))
                    ? id
                    : group + " " + deduplicationId;
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

    /**
     * An HTTP client with abortable requests: otherwise a long poll would delay the shutdown of its process. Thread-safe.
     */
    static final class AbortableHttp implements SdkHttpClient {

        private final SdkHttpClient http;
        private final Set<ExecutableHttpRequest> underWay = ConcurrentHashMap.newKeySet();
        private volatile boolean aborted;

        AbortableHttp(SdkHttpClient http) {
            this.http = http;
        }

        @Override
        public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
            ExecutableHttpRequest prepared = http.prepareRequest(request);
            return new ExecutableHttpRequest() {
                @Override
                public HttpExecuteResponse call() throws IOException {
                    underWay.add(prepared);
                    try {
                        if (aborted) {
                            throw new IOException("aborted");
                        }
                        return prepared.call();
                    } finally {
                        underWay.remove(prepared);
                    }
                }

                @Override
                public void abort() {
                    prepared.abort();
                }
            };
        }

        /** Aborts current and all later requests. */
        void abort() {
            aborted = true;
            underWay.forEach(ExecutableHttpRequest::abort);
        }

        @Override
        public String clientName() {
            return http.clientName();
        }

        @Override
        public void close() {
            http.close();
        }
    }
}
