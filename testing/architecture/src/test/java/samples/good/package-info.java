/** Keeps the rules. */
@NullMarked
package samples.good;

import org.jspecify.annotations.NullMarked;
