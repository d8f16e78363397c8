package io.interlock.tck;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Collection;

/** The default requests of the contract. */
final class ContractRequests {

    /** Long enough that no lease expires on a slow machine, unless a test advances the store's time. */
    static final Duration TTL = Duration.ofSeconds(30);

    static final Duration LOCK_DELAY = Duration.ofSeconds(20);

    static final Holder HOLDER = new Holder("host-1/4711", "worker on host-1");

    private ContractRequests() {}

    static LeaseId freshId() {
        return LeaseId.random(Environment.system().random());
    }

    static AcquireRequest forKey(LockKey key) {
        return forKey(key, TTL);
    }

    static AcquireRequest forKey(LockKey key, Duration ttl) {
        return AcquireRequest.of(key, freshId(), HOLDER, ttl);
    }

    static AcquireRequest forKeys(Collection<LockKey> keys) {
        return AcquireRequest.of(keys, freshId(), HOLDER, TTL);
    }

    static AcquireRequest withLockDelay(LockKey key) {
        return forKey(key).on(new LeaseTerms(TTL, LOCK_DELAY));
    }

    /** {@code lease} with another id. */
    static LeaseRecord withOtherId(LeaseRecord lease) {
        return with(lease, freshId(), lease.token());
    }

    /** {@code lease} with another token. */
    static LeaseRecord withToken(LeaseRecord lease, long token) {
        return with(lease, lease.id(), new FencingToken(token));
    }

    private static LeaseRecord with(LeaseRecord lease, LeaseId id, FencingToken token) {
        return new LeaseRecord(
                lease.key(),
                id,
                lease.holder(),
                token,
                lease.grantedAt(),
                lease.expiresAt(),
                lease.observedAt(),
                lease.eviction());
    }
}
