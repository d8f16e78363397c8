/** Tests of parts that are hard to reach from outside. */
@NullMarked
package io.interlock.engine.internal;

import org.jspecify.annotations.NullMarked;
