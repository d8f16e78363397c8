/** Starts and cancels runs, for callers in this process. */
@NullMarked
package io.interlock.engine.internal.submit;

import org.jspecify.annotations.NullMarked;
