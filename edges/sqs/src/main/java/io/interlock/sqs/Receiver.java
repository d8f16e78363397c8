package io.interlock.sqs;

import io.interlock.engine.RunRequest;
import io.interlock.sqs.MessageDelivery.Outcome;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;

/** Takes one message after the other. Any number may do so at once. */
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
     * What is done with a message.
     *
     * @param reader says what it asks for
     * @param delivery starts it
     * @param held waits with those that cannot be started yet
     * @param waits hears how long it has waited
     * @param retryAfter how soon one that was refused is tried again
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
                log.error("a message could not be taken; it will come again", failure);
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
            // At once, so that its group does not wait longer than need be for it to become a dead letter.
            leave(message, Duration.ZERO, "is not understood", String.valueOf(garbled.getMessage()));
            return;
        }
        Outcome outcome = sorting.delivery().of(message, request);
        switch (outcome.kind()) {
            case STARTED -> {}
            case REFUSED -> refuse(message, outcome.why());
            case STORE_AWAY, NOT_NOW -> sorting.held().add(message, request, outcome);
        }
    }

    /** Leaves a message that is refused to come again, and to become a dead letter in the end. */
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
