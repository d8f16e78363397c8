/** Keeps the rules. */
@NullMarked
package samples.good.store.sql;

import org.jspecify.annotations.NullMarked;
