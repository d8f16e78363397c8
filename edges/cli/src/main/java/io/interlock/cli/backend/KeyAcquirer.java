package io.interlock.cli.backend;

import io.interlock.ConflictPolicy;
import io.interlock.InterlockException;
import io.interlock.LockKey;
import io.interlock.run.Ending;
import io.interlock.service.Facts;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Acquires the key of {@code interlock run}. Safe for use by many threads. */
public interface KeyAcquirer {

    Entry enter(Request request);

    /** The lock that {@code look} shows, to explain a refusal; nothing if it cannot be read: the refusal counts without it. */
    static Facts lock(Supplier<Facts> look) {
        try {
            return look.get();
        } catch (InterlockException unknown) {
            return Facts.none();
        }
    }

    /**
     * A command to run under a key.
     *
     * @param job the kind of work, for the record
     * @param onConflict what happens if the key is held: REJECT, SKIP or QUEUE
     * @param maxWait how long to wait, or {@code null} without limit
     * @param lease how long the lease lives without a heartbeat
     * @param priority from −100 to 100
     * @param reason shown to those that wait, or {@code null}
     * @param program what is run, without its arguments: they may be secret
     */
    record Request(
            LockKey key,
            String job,
            ConflictPolicy onConflict,
            @Nullable Duration maxWait,
            Duration lease,
            Duration grace,
            int priority,
            @Nullable String reason,
            Map<String, String> labels,
            String program) {

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
         * The request is refused, or waited in vain.
         *
         * @param lock empty if it was not looked at
         * @param code why, for programs: {@code lock-held}, {@code key-paused}, {@code WAIT_EXPIRED}, …
         */
        record Busy(Facts lock, String code, String explanation) implements Entry {}
    }

    /** A place in the queue of a key. It lasts only while it is {@linkplain #take waited for}. Safe for use by many threads. */
    interface Place {

        /**
         * Waits for the turn; the answer is granted or, once the wait is over without the key, busy.
         *
         * @throws InterruptedException if the thread was interrupted; the place is still there and must be left
         */
        Entry take() throws InterruptedException;

        View look();

        void leave();

        /**
         * What it waits for.
         *
         * @param position from 1, or 0 if it is not known
         */
        record View(Facts lock, int position) {}
    }

    /** A key that this process holds. Its lease is renewed until it is finished. Safe for use by many threads. */
    interface HeldKey {

        String runId();

        long token();

        /** How long it may be relied upon by the local clock unless a heartbeat is confirmed; zero once it is over. */
        Duration remaining();

        /** Calls {@code listener} once, as soon as the work must stop; at once if it already must. */
        void onStop(Consumer<Stop> listener);

        /** Reports the stage that begins. Returns at once. */
        void stage(String name);

        /** Reports how far the work is. Returns at once. */
        void progress(long done, @Nullable Long total);

        /**
         * Reports that the work has stopped, and how it ended.
         *
         * @return why that is void or could not be reported; empty if it is on record
         */
        Optional<Stop> finish(Ending ending);

        /**
         * Why the work must stop.
         *
         * @param kind because the lease is lost, or because it was cancelled
         */
        record Stop(Stop.Kind kind, String why) {

            public enum Kind {
                /** The lease is lost, or ends soon. */
                LOST,
                CANCELLED,
                /** The end could not be reported; the lease is left to expire. */
                UNTOLD
            }
        }
    }
}
