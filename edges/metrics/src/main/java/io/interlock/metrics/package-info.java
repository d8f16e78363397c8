/**
 * Micrometer meters of an engine and its store. Every tag is bounded: by configuration, by an enum, or by a cap beyond
 * which values become {@code _other}.
 */
@NullMarked
package io.interlock.metrics;

import org.jspecify.annotations.NullMarked;
