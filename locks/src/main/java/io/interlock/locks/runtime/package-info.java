/**
 * How a process keeps the leases it holds: renewal, loss, waiting and draining, for the lock library and the run engine alike. For
 * modules of Interlock, not for applications; it may change in every release.
 */
@NullMarked
package io.interlock.locks.runtime;

import org.jspecify.annotations.NullMarked;
