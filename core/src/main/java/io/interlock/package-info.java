/**
 * The basic types of Interlock: keys, leases, holders and fencing tokens.
 *
 * <p>Interlock guarantees that every key has at most one <em>live lease</em>, by the store's own clock, and that every
 * lease carries a fencing token greater than all earlier tokens of that key. It does <strong>not</strong> guarantee
 * that only one process is running code: a paused process can wake up after its lease ended. Pass the token to your
 * resource.
 *
 * <p>Unless stated otherwise, passing {@code null} throws {@link NullPointerException}, and an {@link java.time.Instant}
 * is a time of the store's clock. All types here are immutable and thread-safe.
 */
@NullMarked
package io.interlock;

import org.jspecify.annotations.NullMarked;
