package io.interlock.sqs;

import io.interlock.config.SqsSettings;
import java.net.URI;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.elasticmq.rest.sqs.SQSRestServer;
import org.elasticmq.rest.sqs.SQSRestServerBuilder;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.sqs.SqsClient;
import software.amazon.awssdk.services.sqs.model.QueueAttributeName;

/** An SQS server in this process, and pairs of queues set up as documented. */
final class LocalSqs {

    private static final AtomicInteger NAMES = new AtomicInteger();

    final SqsClient client;
    private final URI endpoint;

    private LocalSqs(SQSRestServer server) {
        endpoint = URI.create(
                "http://127.0.0.1:" + server.waitUntilStarted().localAddress().getPort());
        System.setProperty("aws.accessKeyId", "test");
        System.setProperty("aws.secretAccessKey", "nothing");
        client = SqsClient.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .build();
    }

    /** Shared by all tests; each test has its own queues. */
    static LocalSqs shared() {
        return Shared.SQS;
    }

    private static final class Shared {
        static final LocalSqs SQS = new LocalSqs(SQSRestServerBuilder.withInterface("127.0.0.1")
                .withDynamicPort()
                .start());
    }

    URI endpoint() {
        return endpoint;
    }

    /** A queue and its dead-letter queue. */
    record Pair(SqsClient client, String url, String deadUrl) {

        String send(String group, String body) {
            return client.sendMessage(request ->
                            request.queueUrl(url).messageGroupId(group).messageBody(body))
                    .messageId();
        }

        String send(String group, String deduplicationId, String body) {
            return client.sendMessage(request -> request.queueUrl(url)
                            .messageGroupId(group)
                            .messageDeduplicationId(deduplicationId)
                            .messageBody(body))
                    .messageId();
        }

        /** All messages, including hidden ones. */
        int size() {
            return count(url);
        }

        int dead() {
            return count(deadUrl);
        }

        private int count(String queue) {
            return client
                    .getQueueAttributes(request -> request.queueUrl(queue).attributeNames(QueueAttributeName.ALL))
                    .attributes()
                    .entrySet()
                    .stream()
                    .filter(said -> said.getKey().toString().startsWith("ApproximateNumberOfMessages"))
                    .mapToInt(said -> Integer.parseInt(said.getValue()))
                    .sum();
        }
    }

    Pair queues() {
        String name = "jobs-" + NAMES.incrementAndGet();
        String dead = create(name + "-dlq.fifo", Map.of());
        String url = create(
                name + ".fifo",
                Map.of(
                        QueueAttributeName.REDRIVE_POLICY,
                        "{\"deadLetterTargetArn\":\"" + arn(dead) + "\",\"maxReceiveCount\":\"3\"}"));
        return new Pair(client, url, dead);
    }

    String create(String name, Map<QueueAttributeName, String> further) {
        Map<QueueAttributeName, String> attributes = new HashMap<>(further);
        if (name.endsWith(".fifo")) {
            attributes.put(QueueAttributeName.FIFO_QUEUE, "true");
            attributes.put(QueueAttributeName.CONTENT_BASED_DEDUPLICATION, "true");
        }
        return client.createQueue(request -> request.queueName(name).attributes(attributes))
                .queueUrl();
    }

    private String arn(String url) {
        return client.getQueueAttributes(request -> request.queueUrl(url).attributeNames(QueueAttributeName.QUEUE_ARN))
                .attributes()
                .getOrDefault(QueueAttributeName.QUEUE_ARN, "");
    }

    /** Short intervals: held messages are retried after a second, abandoned ones become visible after two. */
    SqsSettings settings(String url) {
        return settings(
                url,
                new SqsSettings.Times(
                        Duration.ofSeconds(20), Duration.ofSeconds(2), Duration.ofMillis(200), Duration.ofMillis(200)));
    }

    SqsSettings settings(String url, SqsSettings.Times times) {
        return new SqsSettings(
                URI.create(url), "acme", new SqsSettings.Place(null, endpoint), 2, times, SqsSettings.Messages.OWN);
    }
}
