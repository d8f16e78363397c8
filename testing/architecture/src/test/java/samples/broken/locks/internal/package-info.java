/** Breaks the rules, one class for each. */
@NullMarked
package samples.broken.locks.internal;

import org.jspecify.annotations.NullMarked;
