/** Keeps the rules. */
@NullMarked
package samples.good.client;

import org.jspecify.annotations.NullMarked;
