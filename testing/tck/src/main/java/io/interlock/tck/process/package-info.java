/** Other processes for tests: workers that lock, are killed and are paused, and a resource that checks tokens. */
@NullMarked
package io.interlock.tck.process;

import org.jspecify.annotations.NullMarked;
