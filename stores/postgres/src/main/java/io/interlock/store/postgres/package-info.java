/**
 * Leases and runs in PostgreSQL, for any number of machines: a dialect of {@link io.interlock.store.sql}, its fast path and its wake-ups.
 *
 * <p>No step relies on the state of a session, so a pooler in transaction mode may stand between; wake-ups alone need a connection that
 * is not pooled so, and are silent without it.
 */
@NullMarked
package io.interlock.store.postgres;

import org.jspecify.annotations.NullMarked;
