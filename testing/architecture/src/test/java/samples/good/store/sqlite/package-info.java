/** Keeps the rules. */
@NullMarked
package samples.good.store.sqlite;

import org.jspecify.annotations.NullMarked;
