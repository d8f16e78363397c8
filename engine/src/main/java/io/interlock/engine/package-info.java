/**
 * The run engine: one call that starts, joins, queues or refuses; workers that do the work and stop when they must; a janitor
 * that gives its reasons. {@link io.interlock.engine.RunHandler} is where work comes in.
 */
@NullMarked
package io.interlock.engine;

import org.jspecify.annotations.NullMarked;
