package io.interlock.spi;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import java.time.Duration;

/** Extends a lease. */
public record RenewRequest(LockKey key, LeaseId id, FencingToken token, Duration ttl) {}
