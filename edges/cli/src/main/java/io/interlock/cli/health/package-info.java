/** Health and metrics of a worker over HTTP. */
@NullMarked
package io.interlock.cli.health;

import org.jspecify.annotations.NullMarked;
