package io.interlock.spi;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;

/**
 * Says that a holder is done, and that its work has stopped.
 *
 * @param key the key held
 * @param id the grant's name
 * @param token the grant's token
 */
public record ReleaseRequest(LockKey key, LeaseId id, FencingToken token) {}
