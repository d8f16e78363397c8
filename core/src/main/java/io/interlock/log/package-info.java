/** Log messages that hold up nothing else. */
@NullMarked
package io.interlock.log;

import org.jspecify.annotations.NullMarked;
