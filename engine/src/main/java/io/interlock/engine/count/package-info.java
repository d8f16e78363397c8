/** Counts submissions that started nothing new, without slowing them down. */
@NullMarked
package io.interlock.engine.count;

import org.jspecify.annotations.NullMarked;
