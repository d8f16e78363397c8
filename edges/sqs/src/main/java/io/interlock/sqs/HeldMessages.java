package io.interlock.sqs;

import io.interlock.engine.RunRequest;
import io.interlock.sqs.MessageDelivery.Kind;
import io.interlock.sqs.MessageDelivery.Outcome;
import io.interlock.sqs.Queue.Message;
import io.interlock.time.LocalTime;
import io.interlock.time.LocalTime.Moment;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * Messages that cannot be started yet. They stay in the queue, and their visibility timeout is extended again and
 * again: returning a message would cost it a receive, and after three receives a valid message would be a dead letter.
 * If this process dies, other receivers get them soon. Thread-safe.
 */
final class HeldMessages {

    private static final Logger log = LoggerFactory.getLogger(HeldMessages.class);
    private static final int MOST = 100;
    private static final Duration LEAST_HIDDEN = Duration.ofMinutes(1);

    private final Queue queue;
    private final MessageDelivery delivery;
    private final LocalTime time;
    private final Duration retryAfter;
    private final Duration hidden;
    private final Map<String, Held> held = new LinkedHashMap<>();

    HeldMessages(Queue queue, MessageDelivery delivery, LocalTime time, Duration retryAfter) {
        this.queue = queue;
        this.delivery = delivery;
        this.time = time;
        this.retryAfter = retryAfter;
        Duration twice = retryAfter.multipliedBy(2);
        this.hidden = twice.compareTo(LEAST_HIDDEN) < 0 ? LEAST_HIDDEN : twice;
    }

    private record Held(Message message, RunRequest request, Kind kind, Moment triedAt, Moment hiddenAt) {

        Held tried(Kind outcome, Moment now) {
            return new Held(message, request, outcome, now, hiddenAt);
        }

        Held hidden(Moment now) {
            return new Held(message, request, kind, triedAt, now);
        }
    }

    /** Whether it makes sense to receive more. */
    synchronized boolean hasRoom() {
        return held.size() < MOST && held.values().stream().noneMatch(one -> one.kind() == Kind.STORE_AWAY);
    }

    synchronized int size() {
        return held.size();
    }

    /** When the oldest held message was sent, if there is one. */
    synchronized Optional<Instant> oldest() {
        return held.values().stream().map(one -> one.message().sentAt()).min(Comparator.naturalOrder());
    }

    void add(Message message, RunRequest request, Outcome outcome) {
        if (outcome.kind() == Kind.STORE_AWAY) {
            if (hasRoom()) {
                log.warn("no messages are received until the store answers: {}", outcome.why());
            }
        } else {
            log.info("{} waits: {}", message, outcome.why());
        }
        Moment now = time.now();
        put(new Held(message, request, outcome.kind(), now, now));
        hide(message, hidden);
    }

    /** Retries the messages that are due; refused ones are passed to {@code refused}. */
    void round(BiConsumer<Message, String> refused) {
        boolean storeAway = false;
        for (String receipt : receipts()) {
            // Before each one, because the store may be slow.
            keepHidden();
            Held one = find(receipt);
            if (one != null && !storeAway && isDue(one)) {
                Outcome outcome = delivery.of(one.message(), one.request());
                storeAway = outcome.kind() == Kind.STORE_AWAY;
                settle(one, outcome, refused);
            }
        }
    }

    private boolean isDue(Held one) {
        return one.kind() == Kind.STORE_AWAY || since(one.triedAt()).compareTo(retryAfter) >= 0;
    }

    private void keepHidden() {
        for (Held one : all()) {
            if (since(one.hiddenAt()).multipliedBy(2).compareTo(hidden) >= 0) {
                keepHidden(one);
            }
        }
    }

    /** Makes all of them visible to other receivers after {@code time}. */
    void giveBack(Duration time) {
        for (Held one : all()) {
            hide(one.message(), time);
            remove(one);
        }
    }

    private void settle(Held one, Outcome outcome, BiConsumer<Message, String> refused) {
        switch (outcome.kind()) {
            case STARTED -> {
                log.info("{} waits no longer: {}", one.message(), outcome.why());
                remove(one);
            }
            case REFUSED -> {
                remove(one);
                refused.accept(one.message(), outcome.why());
            }
            case STORE_AWAY, NOT_NOW -> put(one.tried(outcome.kind(), time.now()));
        }
    }

    private void keepHidden(Held one) {
        try {
            queue.hide(one.message(), hidden);
            put(one.hidden(time.now()));
        } catch (AwsServiceException gone) {
            // Its visibility timeout is over, or another receiver has it. If its run exists already, the message will
            // be recognised.
            log.info("{} is no longer held: {}", one.message(), gone.getMessage());
            remove(one);
        } catch (SdkException away) {
            log.debug("could not extend the visibility timeout of {}", one.message(), away);
        }
    }

    private void hide(Message message, Duration duration) {
        try {
            queue.hide(message, duration);
        } catch (SdkException away) {
            log.debug("could not make {} visible; it stays hidden until its visibility timeout", message, away);
        }
    }

    private Duration since(Moment moment) {
        return Duration.ofNanos(time.elapsed(moment));
    }

    private synchronized List<Held> all() {
        return List.copyOf(held.values());
    }

    private synchronized List<String> receipts() {
        return List.copyOf(held.keySet());
    }

    private synchronized @Nullable Held find(String receipt) {
        return held.get(receipt);
    }

    private synchronized void put(Held one) {
        held.put(one.message().receipt(), one);
    }

    private synchronized void remove(Held one) {
        held.remove(one.message().receipt());
    }
}
