/** Tests of the words and contracts. */
@NullMarked
package io.interlock.spi;

import org.jspecify.annotations.NullMarked;
