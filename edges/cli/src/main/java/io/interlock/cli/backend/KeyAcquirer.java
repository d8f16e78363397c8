package io.interlock.cli.backend;

import io.interlock.ConflictPolicy;
import io.interlock.LockKey;
import io.interlock.service.Facts;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Acquires the key of {@code interlock run}. Safe for use by many threads. */
public interface KeyAcquirer {

    Entry enter(Request request);

    /**
     * A command to run under a key.
     *
     * @param job the kind of work, for the record
     * @param maxWait how long to wait, or {@code null} without limit
     * @param lease how long the lease lives without a heartbeat
     * @param grace how long the command may take to stop
     * @param priority from −100 to 100
     * @param reason shown to those that wait, or {@code null}
     * @param program what is run, without its arguments: they may be secret
     */
    record Request(
            LockKey key,
            String job,
            IfBusy ifBusy,
            @Nullable Duration maxWait,
            Duration lease,
            Duration grace,
            int priority,
            @Nullable String reason,
            Map<String, String> labels,
            String program) {

        /** What happens if the key is held. */
        public enum IfBusy {
            /** That is an error. */
            FAIL(ConflictPolicy.REJECT),
            /** That is no error. */
            SKIP(ConflictPolicy.SKIP),
            /** It waits in the queue. */
            WAIT(ConflictPolicy.QUEUE);

            private final ConflictPolicy policy;

            IfBusy(ConflictPolicy policy) {
                this.policy = policy;
            }

            ConflictPolicy policy() {
                return policy;
            }
        }

        /** Copies the labels. */
        public Request {
            labels = Map.copyOf(labels);
        }
    }

    /** The answer to a request. */
    sealed interface Entry {

        /** The key is acquired. */
        record Granted(HeldKey held) implements Entry {}

        /** The key is held; the request waits. */
        record InLine(Place place) implements Entry {}

        /**
         * The request is refused.
         *
         * @param lock what is known of the key
         * @param code why, for programs: {@code lock-held}, {@code key-paused}, …
         * @param explanation why, in one sentence
         */
        record Busy(Facts lock, String code, String explanation) implements Entry {}
    }

    /** A place in the queue of a key. It lasts only while it is {@linkplain #take waited for}. Safe for use by many threads. */
    interface Place {

        /**
         * Waits for the turn.
         *
         * @throws InterruptedException if the thread was interrupted; the place is still there and must be left
         */
        Outcome take() throws InterruptedException;

        /** What it waits for now. */
        View look();

        /** Leaves the queue. */
        void leave();

        /**
         * What it waits for.
         *
         * @param position from 1, or 0 if it is not known
         */
        record View(Facts lock, int position) {}

        /** How the wait ended. */
        sealed interface Outcome {

            /** The key is acquired. */
            record Taken(HeldKey held) implements Outcome {}

            /**
             * The wait is over without the key.
             *
             * @param code why, for programs: {@code WAIT_EXPIRED}, {@code CANCELLED}, …
             * @param why for people
             */
            record Over(String code, String why) implements Outcome {}
        }
    }
}
