/** Tests of resources that check tokens. */
@NullMarked
package io.interlock.locks.fencing;

import org.jspecify.annotations.NullMarked;
