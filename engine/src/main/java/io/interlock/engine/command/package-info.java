/**
 * Work done by a command: {@link io.interlock.engine.command.CommandHandler} runs one for each attempt, and
 * {@link io.interlock.engine.command.GuardedProcess} sees to it that nothing of it is left behind.
 */
@NullMarked
package io.interlock.engine.command;

import org.jspecify.annotations.NullMarked;
