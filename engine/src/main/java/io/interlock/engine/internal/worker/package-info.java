/** Does the work of runs: claims it, runs handlers, sends heartbeats, watches deadlines, tells the store how attempts ended. */
@NullMarked
package io.interlock.engine.internal.worker;

import org.jspecify.annotations.NullMarked;
