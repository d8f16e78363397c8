/** The operations about runs: start, look, work, order. */
@NullMarked
package io.interlock.server.runs;

import org.jspecify.annotations.NullMarked;
