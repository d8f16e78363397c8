/** Breaks the rules, one class for each. */
@NullMarked
package samples.broken.spi;

import org.jspecify.annotations.NullMarked;
