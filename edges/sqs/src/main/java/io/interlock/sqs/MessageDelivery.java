package io.interlock.sqs;

import io.interlock.InterlockException;
import io.interlock.RunRefusal;
import io.interlock.StoreUnavailableException;
import io.interlock.UnsafeStoreException;
import io.interlock.engine.EngineClosedException;
import io.interlock.engine.RunEngine;
import io.interlock.engine.RunRequest;
import io.interlock.engine.Submission;
import io.interlock.engine.access.TenantLimitException;
import io.interlock.sqs.Queue.Message;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * Starts the run of a message, then deletes the message. If the process dies in between, SQS delivers the message
 * again, and its idempotency key finds the existing run. Thread-safe.
 */
final class MessageDelivery {

    private static final Logger log = LoggerFactory.getLogger(MessageDelivery.class);

    private final RunEngine engine;
    private final Queue queue;

    MessageDelivery(RunEngine engine, Queue queue) {
        this.engine = engine;
        this.queue = queue;
    }

    /** The outcome, with a one-sentence reason. */
    record Outcome(Kind kind, String why) {}

    enum Kind {
        /** The run exists, and the message is deleted. */
        STARTED,
        /** The store does not answer; other messages would fail as well. */
        STORE_AWAY,
        /** It cannot be started yet. */
        NOT_NOW,
        REFUSED
    }

    Outcome of(Message message, RunRequest request) {
        Submission answer;
        try {
            answer = engine.submit(request);
        } catch (StoreUnavailableException | UnsafeStoreException | EngineClosedException away) {
            return new Outcome(Kind.STORE_AWAY, String.valueOf(away.getMessage()));
        } catch (TenantLimitException full) {
            return new Outcome(Kind.NOT_NOW, String.valueOf(full.getMessage()));
        } catch (InterlockException refused) {
            return new Outcome(Kind.REFUSED, String.valueOf(refused.getMessage()));
        }
        if (!answer.isAccepted()) {
            // A resource may stay in the wrong state; all other causes end without action.
            boolean passes = answer instanceof Submission.Rejected rejected
                    && !(rejected.refusal() instanceof RunRefusal.WrongState);
            return new Outcome(passes ? Kind.NOT_NOW : Kind.REFUSED, answer.explanation());
        }
        log.debug("{}: {}", message, answer.explanation());
        try {
            queue.delete(message);
        } catch (SdkException away) {
            return new Outcome(
                    Kind.NOT_NOW, "its run exists, but the message could not be deleted: " + away.getMessage());
        }
        return new Outcome(Kind.STARTED, answer.explanation());
    }
}
