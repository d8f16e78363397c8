/** Keeps the rules. */
@NullMarked
package samples.good.spi;

import org.jspecify.annotations.NullMarked;
