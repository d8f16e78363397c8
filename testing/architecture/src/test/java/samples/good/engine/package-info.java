/** Keeps the rules. */
@NullMarked
package samples.good.engine;

import org.jspecify.annotations.NullMarked;
