/** Start and stop of a server process. */
@NullMarked
package io.interlock.server.launch;

import org.jspecify.annotations.NullMarked;
