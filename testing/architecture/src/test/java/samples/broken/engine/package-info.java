/** Breaks the rules, one class for each. */
@NullMarked
package samples.broken.engine;

import org.jspecify.annotations.NullMarked;
