/** The log of locks and runs, one structured line each. */
@NullMarked
package io.interlock.server.log;

import org.jspecify.annotations.NullMarked;
