/** The configuration: its properties, their sources, validation with all mistakes at once, and the setup of an engine. */
@NullMarked
package io.interlock.config;

import org.jspecify.annotations.NullMarked;
