/** Tests of handlers. */
@NullMarked
package io.interlock.engine.handler;

import org.jspecify.annotations.NullMarked;
