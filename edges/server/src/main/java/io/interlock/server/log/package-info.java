/** What is written to the log about locks and runs, one structured line each. */
@NullMarked
package io.interlock.server.log;

import org.jspecify.annotations.NullMarked;
