/** Leases and runs in one SQLite file, for the processes of one machine. */
@NullMarked
package io.interlock.store.sqlite;

import org.jspecify.annotations.NullMarked;
