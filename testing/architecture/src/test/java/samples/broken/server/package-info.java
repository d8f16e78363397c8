/** Breaks the rules, one class for each. */
@NullMarked
package samples.broken.server;

import org.jspecify.annotations.NullMarked;
