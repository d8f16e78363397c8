/** Keeps the rules. */
@NullMarked
package samples.good.tck;

import org.jspecify.annotations.NullMarked;
