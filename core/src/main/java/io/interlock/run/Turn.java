package io.interlock.run;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import java.time.Instant;

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
