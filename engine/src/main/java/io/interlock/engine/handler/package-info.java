/**
 * What a run can do: {@link io.interlock.engine.handler.CommandHandler} runs a command for each attempt,
 * {@link io.interlock.engine.handler.HttpHandler} asks another service by HTTP. Nothing in the engine depends on this package.
 */
@NullMarked
package io.interlock.engine.handler;

import org.jspecify.annotations.NullMarked;
