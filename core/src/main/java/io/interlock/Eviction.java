package io.interlock;

import java.time.Instant;

/** The eviction of a lease. */
public record Eviction(String actor, String reason, Instant at) {}
