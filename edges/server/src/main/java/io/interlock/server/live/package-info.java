/** Events as they happen, for whoever keeps a stream open. */
@NullMarked
package io.interlock.server.live;

import org.jspecify.annotations.NullMarked;
