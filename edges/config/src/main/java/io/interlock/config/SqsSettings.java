package io.interlock.config;

import io.interlock.DurationText;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

    /** Reads the SQS queues. */
    static final class Reader {

        private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);
        private static final Duration LEAST_VISIBILITY = Duration.ofMinutes(1);
        private static final Duration MOST_VISIBILITY = Duration.ofHours(12);
        private static final Duration LEAST = Duration.ofSeconds(1);
        private static final Duration DAY = Duration.ofDays(1);
        private static final int MOST_RECEIVERS = 100;
        private static final URI NOWHERE = URI.create("https://sqs.invalid/0/none.fifo");
        private static final Pattern REGION =
                Pattern.compile("sqs(?:-fips)?\\.([a-z0-9-]+)\\.amazonaws\\.com(?:\\.cn)?");

        private final Reading reading;

        Reader(Reading reading) {
            this.reading = reading;
        }

        List<SqsSettings> read() {
            Set<URI> queues = new HashSet<>();
            return reading.entries("sqs", at -> {
                URI queue = queue(at + "queue");
                if (!queues.add(queue) && !queue.equals(NOWHERE)) {
                    reading.mistake(at + "queue", "is set twice; remove one of them, and raise receivers if necessary");
                }
                return new SqsSettings(
                        queue,
                        reading.tenant(at + "tenant"),
                        place(at, queue),
                        reading.number(at + "receivers", 1, MOST_RECEIVERS),
                        times(at),
                        messages(at));
            });
        }

        private Messages messages(String at) {
            MessageTemplate job = template(at + "job");
            Map<String, MessageTemplate> parameters = new TreeMap<>();
            for (String name : reading.sources().children(at + "parameters")) {
                MessageTemplate value = template(at + "parameters." + name);
                if (value != null) {
                    parameters.put(SettingsReader.plain(name), value);
                }
            }
            if (job == null && !parameters.isEmpty()) {
                reading.mistake(
                        at + "parameters",
                        "is only for messages in another format; also set job, for example to {type}");
            }
            return new Messages(job, template(at + "key"), parameters);
        }

        private @Nullable MessageTemplate template(String property) {
            String text = reading.text(property);
            return text == null
                    ? null
                    : reading.tried(property, () -> MessageTemplate.parse(property, text))
                            .orElse(null);
        }

        private URI queue(String property) {
            String text = reading.requiredText(property);
            URI queue = text.isEmpty() ? null : address(text);
            if (queue == null) {
                reading.mistake(
                        property,
                        (text.isEmpty() ? "is missing" : "'" + text + "' is not a URL")
                                + "; write https://sqs.REGION.amazonaws.com/ACCOUNT/NAME.fifo");
                return NOWHERE;
            }
            if (!queue.getPath().endsWith(".fifo")) {
                reading.mistake(
                        property,
                        "'" + queue.getPath()
                                + "' is not a FIFO queue, and other queues keep no order; use a queue whose name ends in .fifo");
            }
            return queue;
        }

        private Place place(String at, URI queue) {
            String endpoint = reading.text(at + "endpoint");
            URI address = endpoint == null ? null : address(endpoint);
            if (endpoint != null && address == null) {
                reading.mistake(at + "endpoint", "'" + endpoint + "' is not a URL such as http://localhost:9324");
            }
            String region = reading.text(at + "region");
            Matcher host = REGION.matcher(queue.getHost());
            return new Place(region == null && host.matches() ? host.group(1) : region, address);
        }

        private Times times(String at) {
            Duration visibility = within(at + "visibility", LEAST_VISIBILITY, MOST_VISIBILITY);
            return new Times(
                    within(at + "wait", LEAST, LONGEST_WAIT),
                    visibility,
                    within(at + "retry-after", LEAST, visibility.dividedBy(2)),
                    within(at + "watch-every", LEAST, DAY));
        }

        private Duration within(String property, Duration least, Duration most) {
            Duration value = reading.duration(property);
            if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
                reading.mistake(
                        property,
                        "'" + DurationText.format(value) + "' must be from " + DurationText.format(least) + " to "
                                + DurationText.format(most));
                return least;
            }
            return value;
        }

        private static @Nullable URI address(String text) {
            try {
                URI address = new URI(text);
                boolean web = "https".equals(address.getScheme()) || "http".equals(address.getScheme());
                return web && address.getHost() != null ? address : null;
            } catch (URISyntaxException malformed) {
                return null;
            }
        }
    }
}
