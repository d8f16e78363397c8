/** Keeps the rules. */
@NullMarked
package samples.good.locks.internal;

import org.jspecify.annotations.NullMarked;
