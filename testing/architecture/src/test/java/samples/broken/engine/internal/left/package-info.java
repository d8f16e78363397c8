/** One half of a cycle. */
@NullMarked
package samples.broken.engine.internal.left;

import org.jspecify.annotations.NullMarked;
