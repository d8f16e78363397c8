package io.interlock.spi;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;

/**
 * Releases a lease: the holder's work has stopped.
 *
 * @param key the key held
 * @param id the lease id
 * @param token the grant's token
 */
public record ReleaseRequest(LockKey key, LeaseId id, FencingToken token) {}
