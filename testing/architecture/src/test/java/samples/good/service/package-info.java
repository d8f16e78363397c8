/** Keeps the rules. */
@NullMarked
package samples.good.service;

import org.jspecify.annotations.NullMarked;
