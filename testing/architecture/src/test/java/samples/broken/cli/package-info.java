/** Breaks the rules, one class for each. */
@NullMarked
package samples.broken.cli;

import org.jspecify.annotations.NullMarked;
