package io.interlock.config;

import io.interlock.DurationText;
import java.net.URI;
import java.net.URISyntaxException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the SQS queues. */
final class SqsReader {

    private static final Duration LONGEST_WAIT = Duration.ofSeconds(20);
    private static final Duration LEAST_VISIBILITY = Duration.ofMinutes(1);
    private static final Duration MOST_VISIBILITY = Duration.ofHours(12);
    private static final Duration LEAST = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int MOST_RECEIVERS = 100;
    private static final URI NOWHERE = URI.create("https://sqs.invalid/0/none.fifo");
    private static final Pattern REGION = Pattern.compile("sqs(?:-fips)?\\.([a-z0-9-]+)\\.amazonaws\\.com(?:\\.cn)?");

    private final Reading reading;

    SqsReader(Reading reading) {
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
                    reading.tenant(at + "tenant", reading.requiredText(at + "tenant")),
                    place(at, queue),
                    reading.number(at + "receivers", 1, MOST_RECEIVERS),
                    times(at),
                    messages(at));
        });
    }

    private SqsSettings.Messages messages(String at) {
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
                    at + "parameters", "is only for messages in another format; also set job, for example to {type}");
        }
        return new SqsSettings.Messages(job, template(at + "key"), parameters);
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

    private SqsSettings.Place place(String at, URI queue) {
        String endpoint = reading.text(at + "endpoint");
        URI address = endpoint == null ? null : address(endpoint);
        if (endpoint != null && address == null) {
            reading.mistake(at + "endpoint", "'" + endpoint + "' is not a URL such as http://localhost:9324");
        }
        String region = reading.text(at + "region");
        Matcher host = REGION.matcher(queue.getHost());
        return new SqsSettings.Place(region == null && host.matches() ? host.group(1) : region, address);
    }

    private SqsSettings.Times times(String at) {
        Duration visibility = within(at + "visibility", LEAST_VISIBILITY, MOST_VISIBILITY);
        return new SqsSettings.Times(
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
