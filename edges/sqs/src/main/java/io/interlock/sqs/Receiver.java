package io.interlock.sqs;

import io.interlock.engine.RunRequest;
import io.interlock.sqs.MessageDelivery.Outcome;
import java.time.Duration;
import java.util.Optional;
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
            } catch (SdkException | UnfitQueueException away) {
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
        } catch (NotUnderstoodException garbled) {
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
}
