package io.interlock.store.memory;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.spi.run.rules.LeaseRow;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The leases by key. When one is deleted, its token raises the {@link #floor()}, so that the key's next token is greater. Guarded by
 * the monitor of its {@link RunRows}, except where stated otherwise.
 */
final class LeaseRows {

    private final Map<LockKey, Packed> leases = new ConcurrentHashMap<>();
    private long floor;

    /** At least as great as every token whose lease is deleted. */
    long floor() {
        return floor;
    }

    /** At least as great as every token of the store. */
    long highest() {
        return leases.values().stream().mapToLong(Packed::token).reduce(floor, Math::max);
    }

    /** The keys with leases. Needs no monitor. */
    List<LockKey> keys() {
        return List.copyOf(leases.keySet());
    }

    @Nullable
    LeaseRow find(LockKey key) {
        Packed lease = leases.get(key);
        return lease == null ? null : lease.row();
    }

    /** Stores the lease as a step leaves it. */
    void write(LockKey key, KeyState state) {
        LeaseRow lease = state.lease().orElse(null);
        if (lease == null) {
            leases.remove(key);
            floor = Math.max(floor, state.lastToken());
        } else if (!lease.equals(state.before().lease())) {
            leases.put(key, Packed.of(lease));
        }
    }

    /** Numbers instead of objects, because a process may hold hundreds of thousands of locks. */
    private record Packed(
            long idHigh,
            long idLow,
            long token,
            long grantedAt,
            long expiresAt,
            long lockDelay,
            Holder holder,
            LeaseRecord.@Nullable Eviction eviction,
            boolean probed) {

        private static final long SECOND = 1_000_000_000L;

        static Packed of(LeaseRow row) {
            return new Packed(
                    row.id().value().getMostSignificantBits(),
                    row.id().value().getLeastSignificantBits(),
                    row.token().value(),
                    nanos(row.grantedAt()),
                    nanos(row.expiresAt()),
                    row.lockDelay().toNanos(),
                    row.holder(),
                    row.eviction(),
                    row.probed());
        }

        LeaseRow row() {
            return new LeaseRow(
                    new LeaseId(new UUID(idHigh, idLow)),
                    holder,
                    new FencingToken(token),
                    Instant.EPOCH.plusNanos(grantedAt),
                    Instant.EPOCH.plusNanos(expiresAt),
                    Duration.ofNanos(lockDelay),
                    eviction,
                    probed);
        }

        private static long nanos(Instant instant) {
            return instant.getEpochSecond() * SECOND + instant.getNano();
        }
    }
}
