package io.interlock.spi;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import java.time.Duration;

/**
 * Extends a lease.
 *
 * @param key the key held
 * @param id the lease id
 * @param token the grant's token
 * @param ttl how long from now
 */
public record RenewRequest(LockKey key, LeaseId id, FencingToken token, Duration ttl) {}
