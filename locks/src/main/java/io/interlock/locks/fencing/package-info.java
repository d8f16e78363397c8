/** Resources that check fencing tokens: what makes a holder that woke up too late harmless. */
@NullMarked
package io.interlock.locks.fencing;

import org.jspecify.annotations.NullMarked;
