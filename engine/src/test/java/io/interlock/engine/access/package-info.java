/** Tests of API keys. */
@NullMarked
package io.interlock.engine.access;

import org.jspecify.annotations.NullMarked;
