package io.interlock.config;

import java.net.URI;
import java.time.Duration;
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
 */
public record SqsSettings(URI queue, String tenant, Place place, int receivers, Times times) {

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
