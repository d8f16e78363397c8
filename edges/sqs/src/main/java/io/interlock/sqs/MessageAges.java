package io.interlock.sqs;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * How long messages wait until they are runs. SQS does not say how old the first of a queue is to whoever asks for its attributes, so
 * those that are received tell. Safe for use by many threads.
 */
final class MessageAges {

    private final InstantSource clock;
    private final Map<Thread, Duration> received = new ConcurrentHashMap<>();

    MessageAges(InstantSource clock) {
        this.clock = clock;
    }

    /** What the current thread received, if anything; what it received before no longer counts. */
    void received(Optional<Message> message) {
        Thread receiver = Thread.currentThread();
        message.ifPresentOrElse(one -> received.put(receiver, since(one.sentAt())), () -> received.remove(receiver));
    }

    /** The longest that one received last has waited, or one that is held, sent at {@code held}, has until now. */
    Duration longest(Optional<Instant> held) {
        return Stream.concat(received.values().stream(), held.map(this::since).stream())
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    // Clocks differ: what was sent in the future was sent now.
    private Duration since(Instant sentAt) {
        Duration wait = Duration.between(sentAt, clock.instant());
        return wait.isNegative() ? Duration.ZERO : wait;
    }
}
