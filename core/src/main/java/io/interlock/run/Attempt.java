package io.interlock.run;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.RunId;
import io.interlock.RunState;
import java.time.Instant;
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
}
