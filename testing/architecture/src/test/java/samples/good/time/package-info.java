/** Keeps the rules. */
@NullMarked
package samples.good.time;

import org.jspecify.annotations.NullMarked;
