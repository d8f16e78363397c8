/** The contract of every store, as tests to extend. */
@NullMarked
package io.interlock.tck;

import org.jspecify.annotations.NullMarked;
