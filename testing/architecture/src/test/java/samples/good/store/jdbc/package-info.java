/** Keeps the rules. */
@NullMarked
package samples.good.store.jdbc;

import org.jspecify.annotations.NullMarked;
