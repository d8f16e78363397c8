/** Tests of the words and contracts. */
@NullMarked
package io.interlock.batch;

import org.jspecify.annotations.NullMarked;
