package io.interlock.config;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An SQS FIFO queue whose messages start runs.
 *
 * @param receivers how many messages are handled at once
 */
public record SqsSettings(URI queue, String tenant, Place place, int receivers, Times times, Messages messages) {

    /**
     * The format of messages.
     *
     * @param job the job of a message; {@code null} for messages in Interlock's own format, which name it
     * @param key the key of the run; {@code null} for the group, or the key in the message
     * @param parameters of the run, by name; empty for the whole body
     */
    public record Messages(
            @Nullable MessageTemplate job, @Nullable MessageTemplate key, Map<String, MessageTemplate> parameters) {

        /** Interlock's own format. */
        public static final Messages OWN = new Messages(null, null, Map.of());

        public Messages {
            parameters = Map.copyOf(parameters);
        }

        /** The key of the run, if it is not the group. */
        public Optional<MessageTemplate> keyTemplate() {
            return Optional.ofNullable(key);
        }
    }

    /**
     * Region and endpoint of SQS.
     *
     * @param region the AWS region, or {@code null} for that of the AWS settings
     * @param endpoint its address, or {@code null} for AWS
     */
    public record Place(@Nullable String region, @Nullable URI endpoint) {

        /** The AWS region, if it is set. */
        public Optional<String> namedRegion() {
            return Optional.ofNullable(region);
        }

        /** The address, if it is set. */
        public Optional<URI> namedEndpoint() {
            return Optional.ofNullable(endpoint);
        }
    }

    /**
     * Waits and intervals.
     *
     * @param longPoll how long SQS waits for a message
     * @param visibility how long a received message is hidden from other receivers
     * @param retryAfter how long after a refusal a message is retried
     */
    public record Times(Duration longPoll, Duration visibility, Duration retryAfter, Duration watchEvery) {}
}
