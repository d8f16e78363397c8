/** Breaks the rules, one class for each. */
@NullMarked
package samples.broken.tck;

import org.jspecify.annotations.NullMarked;
