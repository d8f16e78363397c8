/**
 * The types of runs: requests, states, outcomes, and why runs wait.
 *
 * <p>A run is one execution under a key. All types here are immutable and thread-safe; an
 * {@link java.time.Instant} is a time of the store's clock unless stated otherwise.
 */
@NullMarked
package io.interlock.run;

import org.jspecify.annotations.NullMarked;
