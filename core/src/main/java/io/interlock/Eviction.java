package io.interlock;

import java.time.Instant;

/**
 * A lease taken away by force: by whom, why and when.
 *
 * @param actor who did it
 * @param reason why, in the actor's words
 * @param at when, by the store's clock
 */
public record Eviction(String actor, String reason, Instant at) {}
