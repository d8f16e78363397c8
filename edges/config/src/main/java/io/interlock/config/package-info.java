/** The configuration: what can be set, where it was set, every mistake in it at once, and the engine it makes. */
@NullMarked
package io.interlock.config;

import org.jspecify.annotations.NullMarked;
