/** Tests of parts that cannot be brought into a corner through the door. */
@NullMarked
package io.interlock.locks.internal;

import org.jspecify.annotations.NullMarked;
