/**
 * The rules by which runs change, as functions over a {@link io.interlock.spi.run.rules.Room}: everything about one key, at
 * one moment. A store loads a room under the key's lock, applies a rule, and writes back what changed, all in one atomic
 * step. The rules do no I/O and have no clock of their own.
 */
@NullMarked
package io.interlock.spi.run.rules;

import org.jspecify.annotations.NullMarked;
