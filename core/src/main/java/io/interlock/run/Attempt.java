package io.interlock.run;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.RunState;
import io.interlock.run.RunStatus.StopRequest;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An ended attempt.
 *
 * @param turn the holder, the start and the lease
 * @param next the state of the run afterwards
 * @param error why it did not succeed, or {@code null} if it did
 */
public record Attempt(
        RunId run,
        Turn turn,
        Instant endedAt,
        RunState next,
        @Nullable RunError error) {

    /**
     * One attempt's right to the key.
     *
     * @param attempt its number, from 1
     */
    public record Turn(int attempt, LeaseId lease, FencingToken token, Holder holder, Instant startedAt) {

        /** Whether {@code lease} and {@code token} belong to this turn. */
        public boolean isProvedBy(LeaseId lease, FencingToken token) {
            return this.lease.equals(lease) && this.token.equals(token);
        }
    }

    /** The answer of a store to a caller that requests its turn. */
    public sealed interface TurnAnswer {

        /** The caller has its turn. */
        record Granted(Run run, LeaseRecord lease) implements TurnAnswer {}

        /**
         * The caller still waits.
         *
         * @param position its place, from 1
         * @param obstacle what prevents its start, or {@code null} if it only waits for its next attempt
         */
        record Waiting(Run run, int position, @Nullable Refusal obstacle) implements TurnAnswer {}

        /**
         * The run no longer waits.
         *
         * @param run the current run, or {@code null} if it does not exist
         */
        record Over(@Nullable Run run) implements TurnAnswer {

            /** The current run, if it exists. */
            public Optional<Run> current() {
                return Optional.ofNullable(run);
            }
        }
    }

    /**
     * A claimed run.
     *
     * @param more whether further runs waited for the key when it was claimed
     */
    public record Claimed(Run run, LeaseRecord lease, boolean more) {

        /** A run of a key for which no other is known to wait. */
        public Claimed(Run run, LeaseRecord lease) {
            this(run, lease, false);
        }
    }

    /** The answer of a store to a heartbeat. */
    public sealed interface HeartbeatAnswer {

        /**
         * The lease is renewed.
         *
         * @param stop a stop request, or {@code null}
         */
        record Beating(LeaseRecord lease, @Nullable StopRequest stop) implements HeartbeatAnswer {

            public Optional<StopRequest> stopRequest() {
                return Optional.ofNullable(stop);
            }
        }

        /**
         * The lease is not renewed, and nothing was changed. The work must stop.
         *
         * @param current the lease the store has for the key now, or {@code null}
         */
        record Lost(LossCause cause, @Nullable LeaseRecord current) implements HeartbeatAnswer {}
    }

    /** The answer of a store to a finish. In every case the sender no longer has the key. */
    public sealed interface FinishAnswer {

        /**
         * The attempt is finished, by this request or the same one before.
         *
         * @param run ended, or queued for another attempt
         * @param next the next run of the key, if the sender asked for it and has it now, or {@code null}
         */
        record Finished(Run run, @Nullable Claimed next) implements FinishAnswer {

            public Finished(Run run) {
                this(run, null);
            }

            /** The next run of the key, if the sender has it now. */
            public Optional<Claimed> taken() {
                return Optional.ofNullable(next);
            }
        }

        /** The attempt was already finished with another outcome; nothing was changed. */
        record AlreadyFinished(Run run) implements FinishAnswer {}

        /**
         * The lease was no longer live, so the outcome does not count. If its row still existed, the key is free now.
         *
         * @param run the current run, or {@code null} if it does not exist
         */
        record LeaseLost(LossCause cause, @Nullable Run run) implements FinishAnswer {

            /** The current run, if it exists. */
            public Optional<Run> current() {
                return Optional.ofNullable(run);
            }
        }
    }
}
