/** Processes for tests: workers that hold locks, are killed and paused, and a resource that checks tokens. */
@NullMarked
package io.interlock.tck.process;

import org.jspecify.annotations.NullMarked;
