/** Breaks the rules, one class for each. */
@NullMarked
package samples.broken.locks;

import org.jspecify.annotations.NullMarked;
