package io.interlock.config;

import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An SQS FIFO queue whose messages are started as runs.
 *
 * @param queue its URL
 * @param tenant for whom they are started
 * @param place where SQS is
 * @param receivers how many messages are in hand at once
 * @param times how long things take
 * @param messages how they are understood
 */
public record SqsSettings(URI queue, String tenant, Place place, int receivers, Times times, Messages messages) {

    /**
     * How messages are understood.
     *
     * @param job which job a message is for; {@code null} for messages in Interlock's own form, which name it themselves
     * @param key the key of the run; {@code null} for the group, or what the message says itself
     * @param parameters of the run, by name; empty for the whole body
     */
    public record Messages(
            @Nullable MessageTemplate job, @Nullable MessageTemplate key, Map<String, MessageTemplate> parameters) {

        /** In Interlock's own form. */
        public static final Messages OWN = new Messages(null, null, Map.of());

        /** Copies the parameters. */
        public Messages {
            parameters = Map.copyOf(parameters);
        }

        /** Which job a message is for, if it does not say so in Interlock's own form. */
        public Optional<MessageTemplate> jobTemplate() {
            return Optional.ofNullable(job);
        }

        /** The key of the run, if it is not the group. */
        public Optional<MessageTemplate> keyTemplate() {
            return Optional.ofNullable(key);
        }
    }

    /**
     * Where SQS is.
     *
     * @param region the AWS region, or {@code null} for what AWS' own settings say
     * @param endpoint its address, or {@code null} for where AWS has it
     */
    public record Place(@Nullable String region, @Nullable URI endpoint) {

        /** The AWS region, if it was named. */
        public Optional<String> namedRegion() {
            return Optional.ofNullable(region);
        }

        /** The address, if it was named. */
        public Optional<URI> namedEndpoint() {
            return Optional.ofNullable(endpoint);
        }
    }

    /**
     * How long things take.
     *
     * @param longPoll how long SQS waits for a message
     * @param visibility how long a message in hand is hidden from others
     * @param retryAfter how long after it was refused a message is tried again
     * @param watchEvery how often dead letters are counted
     */
    public record Times(Duration longPoll, Duration visibility, Duration retryAfter, Duration watchEvery) {}
}
