/**
 * Starts runs at the times that a job's {@code schedule} names. Every process does it; each start carries its time as
 * idempotency key, so one run starts however many processes there are.
 */
@NullMarked
package io.interlock.engine.schedule;

import org.jspecify.annotations.NullMarked;
