/** The configuration: what can be set, where it was set, and every mistake in it at once. */
@NullMarked
package io.interlock.server.config;

import org.jspecify.annotations.NullMarked;
