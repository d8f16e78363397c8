/** Tests of the core types. */
@NullMarked
package io.interlock.spi;

import org.jspecify.annotations.NullMarked;
