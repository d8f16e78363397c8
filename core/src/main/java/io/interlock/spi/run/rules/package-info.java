/**
 * The rules by which runs change, as functions over a {@link io.interlock.spi.run.rules.KeyState}: one key at one moment, with
 * the front of its queue. A store loads it under the key's lock, applies a rule, and writes back what changed, all in one
 * atomic step. The rules do no I/O of their own and have no clock; what a step needs of a long queue they ask of the
 * store's {@link io.interlock.spi.run.rules.RunQueue}.
 */
@NullMarked
package io.interlock.spi.run.rules;

import org.jspecify.annotations.NullMarked;
