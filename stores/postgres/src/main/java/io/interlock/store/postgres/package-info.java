/**
 * Leases in PostgreSQL, for any number of machines.
 *
 * <p>The algorithm is in the SQL files beside this package, one function per verb; what is here sends batches to them and
 * makes answers of the rows. No step relies on the state of a session, so a pooler in transaction mode may stand between;
 * wake-ups alone need a connection that is not pooled so, and are silent without it.
 */
@NullMarked
package io.interlock.store.postgres;

import org.jspecify.annotations.NullMarked;
