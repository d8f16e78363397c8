/** Keeps the rules. */
@NullMarked
package samples.good.server;

import org.jspecify.annotations.NullMarked;
