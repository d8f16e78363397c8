/** Tests of the lock library, on a store that can be told to misbehave and with time in hand. */
@NullMarked
package io.interlock.locks;

import org.jspecify.annotations.NullMarked;
