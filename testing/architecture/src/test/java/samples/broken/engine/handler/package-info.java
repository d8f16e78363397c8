/** One half of a cycle. */
@NullMarked
package samples.broken.engine.handler;

import org.jspecify.annotations.NullMarked;
