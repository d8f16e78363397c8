/**
 * Processes that leave nothing behind: {@link io.interlock.engine.command.GuardedProcess} starts a command, and ends all that it has
 * started when it ends, is killed or outlives this process.
 */
@NullMarked
package io.interlock.engine.command;

import org.jspecify.annotations.NullMarked;
