/** Tests of what a worker shows of itself. */
@NullMarked
package io.interlock.cli.command;

import org.jspecify.annotations.NullMarked;
