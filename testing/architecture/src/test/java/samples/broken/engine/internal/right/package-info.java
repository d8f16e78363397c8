/** One half of a cycle. */
@NullMarked
package samples.broken.engine.internal.right;

import org.jspecify.annotations.NullMarked;
