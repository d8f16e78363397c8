/** Tests of what a worker shows of itself. */
@NullMarked
package io.interlock.cli.health;

import org.jspecify.annotations.NullMarked;
