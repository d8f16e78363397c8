/** What the engine's own periodic work is made of. Not for users. */
@NullMarked
package io.interlock.engine.schedule.internal;

import org.jspecify.annotations.NullMarked;
