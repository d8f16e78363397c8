/** Keeps the rules. */
@NullMarked
package samples.good.cli.remote;

import org.jspecify.annotations.NullMarked;
