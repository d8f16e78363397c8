/** Tests of what a worker shows of itself. */
@NullMarked
package io.interlock.cli.window;

import org.jspecify.annotations.NullMarked;
