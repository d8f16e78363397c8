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
 * How long messages wait to become runs. The attributes of a queue do not contain the age of its first message, so
 * received messages are used. Thread-safe.
 */
final class MessageAges {

    private final InstantSource clock;
    private final Map<Thread, Duration> received = new ConcurrentHashMap<>();

    MessageAges(InstantSource clock) {
        this.clock = clock;
    }

    /** Records the message that the current thread received, if any, in place of its previous one. */
    void received(Optional<Message> message) {
        Thread receiver = Thread.currentThread();
        message.ifPresentOrElse(one -> received.put(receiver, since(one.sentAt())), () -> received.remove(receiver));
    }

    /** The longest wait of the last received messages, or of a held message that was sent at {@code held}. */
    Duration longest(Optional<Instant> held) {
        return Stream.concat(received.values().stream(), held.map(this::since).stream())
                .max(Comparator.naturalOrder())
                .orElse(Duration.ZERO);
    }

    // Clocks differ: a send time in the future counts as now.
    private Duration since(Instant sentAt) {
        Duration wait = Duration.between(sentAt, clock.instant());
        return wait.isNegative() ? Duration.ZERO : wait;
    }
}
