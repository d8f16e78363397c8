/** Tests of parts whose edge cases the public interface cannot reach. */
@NullMarked
package io.interlock.locks.internal;

import org.jspecify.annotations.NullMarked;
