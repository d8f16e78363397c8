package io.interlock.sqs;

import io.interlock.InterlockException;
import io.interlock.Refusal;
import io.interlock.RunRefusal;
import io.interlock.StoreUnavailableException;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * Starts the run of a message, then deletes the message. Whoever dies in between leaves a message that comes again, and is then known
 * as the one whose run there is already. Safe for use by many threads.
 */
final class MessageDelivery {

    private static final Logger log = LoggerFactory.getLogger(MessageDelivery.class);

    private final RunEngine engine;
    private final Queue queue;

    MessageDelivery(RunEngine engine, Queue queue) {
        this.engine = engine;
        this.queue = queue;
    }

    /** What came of it, and why in one sentence. */
    record Outcome(Kind kind, String why) {}

    /** What can come of it. */
    enum Kind {
        /** Its run is there, and it is gone. */
        STARTED,
        /** The store does not answer; others will fare the same. */
        STORE_AWAY,
        /** There is no room for it yet. */
        NOT_NOW,
        /** It will not be started as things stand. */
        REFUSED
    }

    Outcome of(Message message, RunRequest request) {
        Submission answer;
        try {
            answer = engine.submit(request);
        } catch (StoreUnavailableException away) {
            return new Outcome(Kind.STORE_AWAY, String.valueOf(away.getMessage()));
        } catch (InterlockException refused) {
            return new Outcome(Kind.REFUSED, String.valueOf(refused.getMessage()));
        }
        if (!answer.isAccepted()) {
            return new Outcome(
                    answer instanceof Submission.Rejected rejected && passes(rejected.refusal())
                            ? Kind.NOT_NOW
                            : Kind.REFUSED,
                    answer.explanation());
        }
        log.debug("{}: {}", message, answer.explanation());
        try {
            queue.delete(message);
        } catch (SdkException away) {
            return new Outcome(Kind.NOT_NOW, "it is started, but could not be deleted: " + away.getMessage());
        }
        return new Outcome(Kind.STARTED, answer.explanation());
    }

    /** A resource in the wrong state may stay there; everything else that stands in the way goes away by itself. */
    private static boolean passes(Refusal refusal) {
        return !(refusal instanceof RunRefusal.WrongState);
    }
}
