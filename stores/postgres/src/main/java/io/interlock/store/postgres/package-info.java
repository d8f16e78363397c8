/** Leases in postgres. */
@NullMarked
package io.interlock.store.postgres;

import org.jspecify.annotations.NullMarked;
