/** Everything that waits without a thread: for the end of a run, for work, for a key. */
@NullMarked
package io.interlock.engine.internal.wait;

import org.jspecify.annotations.NullMarked;
