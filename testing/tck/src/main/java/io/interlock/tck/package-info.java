/** The contract every store keeps, as tests to extend. */
@NullMarked
package io.interlock.tck;

import org.jspecify.annotations.NullMarked;
