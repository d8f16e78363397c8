/** Leases and runs in memory. */
@NullMarked
package io.interlock.store.memory;

import org.jspecify.annotations.NullMarked;
