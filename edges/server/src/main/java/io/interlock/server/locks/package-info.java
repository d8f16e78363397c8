/** The operations about locks. */
@NullMarked
package io.interlock.server.locks;

import org.jspecify.annotations.NullMarked;
