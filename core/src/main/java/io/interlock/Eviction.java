package io.interlock;

import java.time.Instant;

/**
 * The eviction of a lease.
 *
 * @param actor who did it
 * @param reason the actor's reason
 * @param at when, by the store's clock
 */
public record Eviction(String actor, String reason, Instant at) {}
