/** Breaks the rules, one class for each. */
@NullMarked
package samples.broken.store.memory;

import org.jspecify.annotations.NullMarked;
