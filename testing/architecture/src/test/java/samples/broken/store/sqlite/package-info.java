/** Breaks the rules, one class for each. */
@NullMarked
package samples.broken.store.sqlite;

import org.jspecify.annotations.NullMarked;
