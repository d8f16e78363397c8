package io.interlock.store.sqlite;

import io.interlock.Eviction;
import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.run.rules.LeaseRow;
import org.jspecify.annotations.Nullable;

/**
 * A row of the table {@code lease}. Times are {@link Micros}.
 *
 * @param probed whether whoever succeeds it looks outside first, so that no sweep may clear it
 */
record StoredLease(
        LockKey key,
        LeaseId id,
        Holder holder,
        FencingToken token,
        Span span,
        boolean probed,
        @Nullable Eviction eviction) {

    /**
     * When a lease is.
     *
     * @param grantedAt its beginning
     * @param expiresAt its end unless renewed before
     * @param lockDelay how long the key stays closed after that
     */
    record Span(long grantedAt, long expiresAt, long lockDelay) {

        Span until(long later) {
            return new Span(grantedAt, Math.max(expiresAt, later), lockDelay);
        }
    }

    /**
     * What rules about runs have made of a key's lease; nobody looks outside before a run.
     *
     * @param before the key's lease before, or {@code null}
     */
    static StoredLease of(LockKey key, LeaseRow row, @Nullable StoredLease before) {
        return new StoredLease(
                key,
                row.id(),
                row.holder(),
                row.token(),
                new Span(Micros.of(row.grantedAt()), Micros.of(row.expiresAt()), Micros.of(row.lockDelay())),
                before != null && before.probed && before.token.equals(row.token()),
                row.eviction());
    }

    /** It as rules about runs see it. */
    LeaseRow row() {
        return new LeaseRow(
                id,
                holder,
                token,
                Micros.moment(span.grantedAt),
                Micros.moment(span.expiresAt),
                Micros.duration(span.lockDelay),
                eviction,
                probed);
    }

    boolean isExpired(long now) {
        return span.expiresAt <= now;
    }

    boolean isLive(long now) {
        return eviction == null && !isExpired(now);
    }

    /** When the key opens by itself. */
    long opensAt() {
        return span.expiresAt + span.lockDelay;
    }

    StoredLease until(long later) {
        return new StoredLease(key, id, holder, token, span.until(later), probed, eviction);
    }

    LeaseRecord seenAt(long now) {
        return new LeaseRecord(
                key,
                id,
                holder,
                token,
                Micros.moment(span.grantedAt),
                Micros.moment(span.expiresAt),
                Micros.moment(now),
                eviction);
    }
}
