/**
 * The rules of runs, as functions over a {@link io.interlock.spi.run.rules.KeyState}: one key at one moment, with
 * the front of its queue. A store loads it under the key's lock, applies a rule, and writes back what changed, all in
 * one
 * atomic step. The rules have no I/O and no clock; they query long queues through the store's
 * {@link io.interlock.spi.run.rules.RunQueue}.
 */
@NullMarked
package io.interlock.spi.run.rules;

import org.jspecify.annotations.NullMarked;
