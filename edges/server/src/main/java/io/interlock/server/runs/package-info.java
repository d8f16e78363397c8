/** The operations about runs. */
@NullMarked
package io.interlock.server.runs;

import org.jspecify.annotations.NullMarked;
