/** Breaks the rules, one class for each. */
@NullMarked
package samples.broken;

import org.jspecify.annotations.NullMarked;
