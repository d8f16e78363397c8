/** Tests of commands, with real processes. */
@NullMarked
package io.interlock.engine.command;

import org.jspecify.annotations.NullMarked;
