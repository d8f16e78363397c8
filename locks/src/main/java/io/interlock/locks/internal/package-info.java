/** How the lock library works inside. Not for use from outside; it changes without notice. */
@NullMarked
package io.interlock.locks.internal;

import org.jspecify.annotations.NullMarked;
