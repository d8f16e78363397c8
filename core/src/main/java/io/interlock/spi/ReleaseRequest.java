package io.interlock.spi;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LockKey;

/** Releases a lease: the holder's work has stopped. */
public record ReleaseRequest(LockKey key, LeaseId id, FencingToken token) {}
