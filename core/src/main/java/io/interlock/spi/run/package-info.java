/**
 * What a store of runs implements beside {@link io.interlock.spi.LeaseStore}: lock, run, resource and audit record change
 * in one atomic step per key. {@link io.interlock.spi.run.rules} says how, as plain Java a store may use.
 */
@NullMarked
package io.interlock.spi.run;

import org.jspecify.annotations.NullMarked;
