/** Leases and runs in the tables of a database: all that the SQL stores share, with a {@code Dialect} for what databases say differently. */
@NullMarked
package io.interlock.store.sql;

import org.jspecify.annotations.NullMarked;
