/** Tests of what the lock library and the engine share. */
@NullMarked
package io.interlock.locks.runtime;

import org.jspecify.annotations.NullMarked;
