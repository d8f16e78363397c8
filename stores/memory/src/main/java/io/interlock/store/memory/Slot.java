package io.interlock.store.memory;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.run.rules.LeaseRow;
import io.interlock.spi.run.rules.LeaseRules;
import java.time.Duration;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The row of one key. All access holds its monitor; once {@link #isRemoved() removed} from the table it is never used
 * again, and threads that waited for its monitor fetch the key's new slot.
 *
 * <p>Numbers instead of objects, because a process may hold hundreds of thousands of locks.
 */
final class Slot {

    private final LockKey key;
    private long idHigh;
    private long idLow;
    private long token;
    private long grantedAt;
    private long expiresAt;
    private long lockDelay;
    private @Nullable Holder holder;
    private LeaseRecord.@Nullable Eviction eviction;
    private boolean probed;
    private boolean removed;

    Slot(LockKey key) {
        this.key = key;
    }

    LockKey key() {
        return key;
    }

    /** Whether there is a lease at all, live or not. */
    boolean isTaken() {
        return holder != null;
    }

    boolean isRemoved() {
        return removed;
    }

    boolean isEvicted() {
        return eviction != null;
    }

    boolean isExpired(long now) {
        return expiresAt <= now;
    }

    /** Whether the lease has this id, and could be renewed. */
    boolean isLive(LeaseId id, long now) {
        return isCalled(id) && !isEvicted() && !isExpired(now);
    }

    /** Whether the lease has this id and token, which renewing and releasing need. */
    boolean isProvedBy(LeaseId id, FencingToken token) {
        return isCalled(id) && hasToken(token);
    }

    boolean hasToken(FencingToken token) {
        return isTaken() && this.token == token.value();
    }

    /** The token of the lease, even if it expired; 0 if there is none. */
    long token() {
        return token;
    }

    /** Whether the next holder with a probe must run it first. Not after an eviction. */
    boolean awaitsProbe() {
        return probed && !isEvicted();
    }

    /** When the key can be granted again, unless the holder releases it before. */
    long opensAt() {
        return expiresAt + lockDelay;
    }

    void grant(AcquireRequest request, FencingToken token, long now) {
        set(LeaseRules.grant(request, token, StoreClock.instant(now)));
    }

    /** Sets the end of the lease to {@code ttl} from now, even if that is earlier than before. */
    void extend(Duration ttl, long now) {
        expiresAt = StoreClock.after(now, ttl);
    }

    /** The lease for the rules, or {@code null} if there is none. */
    @Nullable
    LeaseRow row() {
        Holder who = holder;
        return who == null
                ? null
                : new LeaseRow(
                        new LeaseId(new UUID(idHigh, idLow)),
                        who,
                        new FencingToken(token),
                        StoreClock.instant(grantedAt),
                        StoreClock.instant(expiresAt),
                        Duration.ofNanos(lockDelay),
                        eviction,
                        probed);
    }

    /** Stores the lease as the rules have changed it. */
    void set(@Nullable LeaseRow row) {
        if (row == null) {
            // The token stays, so that the floor is raised when the slot is removed.
            holder = null;
            eviction = null;
            return;
        }
        idHigh = row.id().value().getMostSignificantBits();
        idLow = row.id().value().getLeastSignificantBits();
        probed = row.probed();
        holder = row.holder();
        eviction = row.eviction();
        token = row.token().value();
        grantedAt = StoreClock.nanos(row.grantedAt());
        expiresAt = StoreClock.nanos(row.expiresAt());
        lockDelay = row.lockDelay().toNanos();
    }

    void remove() {
        removed = true;
    }

    /** The lease as it is now; only if there is one. */
    LeaseRecord record(long now) {
        LeaseRow row = row();
        if (row == null) {
            throw new IllegalStateException(key + " has no lease");
        }
        return row.record(key, StoreClock.instant(now));
    }

    private boolean isCalled(LeaseId id) {
        return isTaken()
                && idHigh == id.value().getMostSignificantBits()
                && idLow == id.value().getLeastSignificantBits();
    }
}
