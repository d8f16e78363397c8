package io.interlock.sqs;

import io.interlock.engine.RunRequest;
import io.interlock.sqs.MessageDelivery.Outcome;
import io.interlock.sqs.Queue.Message;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;

/** Receives one message after the other. Several receivers may work at once. */
final class Receiver implements Runnable {

    private static final Logger log = LoggerFactory.getLogger(Receiver.class);
    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final Duration SHORT_PAUSE = Duration.ofMillis(500);

    private final Queue queue;
    private final QueueCheck check;
    private final Sorting sorting;
    private final StopFlag going;
    private final ConnectionState link;

    Receiver(Queue queue, QueueCheck check, Sorting sorting, StopFlag going, ConnectionState link) {
        this.queue = queue;
        this.check = check;
        this.sorting = sorting;
        this.going = going;
        this.link = link;
    }

    /**
     * The processing of a message.
     *
     * @param held keeps messages that cannot be started yet
     * @param retryAfter how soon a refused message is retried
     */
    record Sorting(
            MessageReader reader,
            MessageDelivery delivery,
            HeldMessages held,
            MessageAges waits,
            Duration retryAfter) {}

    @Override
    public void run() {
        while (going.on()) {
            if (!sorting.held().hasRoom()) {
                going.rest(SHORT_PAUSE);
                continue;
            }
            try {
                check.require();
                Optional<Message> message = queue.receive();
                link.answered();
                sorting.waits().received(message);
                message.ifPresent(this::take);
            } catch (SdkException | QueueCheck.UnfitQueueException away) {
                if (going.on()) {
                    link.away(away);
                    going.rest(PAUSE);
                }
            } catch (RuntimeException failure) {
                log.error("processing a message failed; SQS will deliver it again", failure);
                going.rest(PAUSE);
            }
        }
    }

    private void take(Message message) {
        if (!going.on()) {
            queue.hide(message, Duration.ZERO);
            return;
        }
        RunRequest request;
        try {
            request = sorting.reader().read(message);
        } catch (MessageBody.NotUnderstoodException garbled) {
            // At once, so that its group waits as short as possible until it becomes a dead letter.
            leave(message, Duration.ZERO, "is invalid", String.valueOf(garbled.getMessage()));
            return;
        }
        Outcome outcome = sorting.delivery().of(message, request);
        switch (outcome.kind()) {
            case STARTED -> {}
            case REFUSED -> refuse(message, outcome.why());
            case STORE_AWAY, NOT_NOW -> sorting.held().add(message, request, outcome);
        }
    }

    /** Leaves a refused message in the queue: it is delivered again, and becomes a dead letter in the end. */
    void refuse(Message message, String why) {
        leave(message, sorting.retryAfter(), "is refused", why);
    }

    private void leave(Message message, Duration time, String what, String why) {
        String told = "{} {} and becomes a dead letter in {} after {} receives (this was number {}): {}";
        QueueCheck.Redrive redrive = check.require();
        Object[] facts = {message, what, redrive.name(), redrive.receives(), message.receives(), why};
        if (message.receives() <= 1) {
            log.warn(told, facts);
        } else {
            log.debug(told, facts);
        }
        queue.hide(message, time);
    }

    /** Whether to continue, and sleeps that end at once when not. Thread-safe. */
    static final class StopFlag {

        private final Timers timers;
        private final CompletableFuture<Void> ended = new CompletableFuture<>();

        StopFlag(Timers timers) {
            this.timers = timers;
        }

        boolean on() {
            return !ended.isDone();
        }

        void end() {
            ended.complete(null);
        }

        /** Sleeps until {@code time} is over or the flag is set. */
        void rest(Duration time) {
            CompletableFuture<Void> over = new CompletableFuture<>();
            Timers.Scheduled later = timers.after(time, () -> over.complete(null));
            CompletableFuture.anyOf(over, ended).join();
            later.cancel();
        }
    }

    /** Whether SQS answers; logs each change once. Thread-safe. */
    static final class ConnectionState {

        private static final Logger log = LoggerFactory.getLogger(ConnectionState.class);

        private final String queue;
        private final AtomicReference<@Nullable Boolean> up = new AtomicReference<>();

        ConnectionState(String queue) {
            this.queue = queue;
        }

        boolean isUp() {
            return Boolean.TRUE.equals(up.get());
        }

        void answered() {
            if (!Boolean.TRUE.equals(up.getAndSet(true))) {
                log.info("receiving messages of {}", queue);
            }
        }

        void away(Exception failure) {
            if (!Boolean.FALSE.equals(up.getAndSet(false))) {
                log.warn("receiving messages of {} failed; retrying: {}", queue, failure.getMessage());
            }
        }
    }

    /**
     * How long messages wait to become runs. The attributes of a queue do not contain the age of its first message, so
     * received messages are used. Thread-safe.
     */
    static final class MessageAges {

        private final InstantSource clock;
        private final Map<Thread, Duration> received = new ConcurrentHashMap<>();

        MessageAges(InstantSource clock) {
            this.clock = clock;
        }

        /** Records the message that the current thread received, if any, in place of its previous one. */
        void received(Optional<Message> message) {
            Thread receiver = Thread.currentThread();
            message.ifPresentOrElse(
                    one -> received.put(receiver, since(one.sentAt())), () -> received.remove(receiver));
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
}
