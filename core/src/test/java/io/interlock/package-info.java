/** Tests of the words and contracts. */
@NullMarked
package io.interlock;

import org.jspecify.annotations.NullMarked;
