/** The operations about locks: leases without runs, force, pauses. */
@NullMarked
package io.interlock.server.locks;

import org.jspecify.annotations.NullMarked;
