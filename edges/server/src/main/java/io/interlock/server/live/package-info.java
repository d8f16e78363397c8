/** Events as they happen, for readers of a stream. */
@NullMarked
package io.interlock.server.live;

import org.jspecify.annotations.NullMarked;
