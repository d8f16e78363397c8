/** Logging that does not block other work. */
@NullMarked
package io.interlock.log;

import org.jspecify.annotations.NullMarked;
