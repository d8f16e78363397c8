/**
 * Leases and runs in MariaDB, for any number of machines: a dialect of {@link io.interlock.store.sql}, its schema, and what must be
 * true of a server. What differs from PostgreSQL, and why, is said in {@code MariaDbDialect}.
 */
@NullMarked
package io.interlock.store.mariadb;

import org.jspecify.annotations.NullMarked;
