/** Keeps the rules. */
@NullMarked
package samples.good.locks;

import org.jspecify.annotations.NullMarked;
