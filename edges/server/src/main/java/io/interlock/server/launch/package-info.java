/** From the command line to a server that listens, and back to a process that is gone. */
@NullMarked
package io.interlock.server.launch;

import org.jspecify.annotations.NullMarked;
