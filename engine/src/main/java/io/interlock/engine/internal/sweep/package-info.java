/** The janitor and its sweeps. */
@NullMarked
package io.interlock.engine.internal.sweep;

import org.jspecify.annotations.NullMarked;
