/**
 * The words about runs: what is asked for, what became of it, and why somebody waits.
 *
 * <p>A run is one execution under a key. All types here are immutable and safe for use by many threads.
 */
@NullMarked
package io.interlock.run;

import org.jspecify.annotations.NullMarked;
