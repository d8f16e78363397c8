/**
 * The types of runs: requests, states, outcomes, and why runs wait.
 *
 * <p>A run is one execution under a key. All types here are immutable and thread-safe.
 */
@NullMarked
package io.interlock.run;

import org.jspecify.annotations.NullMarked;
