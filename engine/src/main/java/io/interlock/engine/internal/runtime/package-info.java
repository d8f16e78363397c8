/** What the parts of one engine share: settings, threads, timers, events for listeners and signals between parts. */
@NullMarked
package io.interlock.engine.internal.runtime;

import org.jspecify.annotations.NullMarked;
