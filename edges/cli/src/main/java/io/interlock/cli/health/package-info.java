/** How a worker is, for those who watch over it: health and metrics over HTTP. */
@NullMarked
package io.interlock.cli.health;

import org.jspecify.annotations.NullMarked;
