/**
 * The interfaces of a store that keeps runs, in addition to {@link io.interlock.spi.LeaseStore}: lock, run, resource
 * and audit record change in one atomic step per key. {@link io.interlock.spi.run.rules} has the rules in plain Java,
 * for use by stores.
 */
@NullMarked
package io.interlock.spi.run;

import org.jspecify.annotations.NullMarked;
