/** The workings of the run engine. Nothing here is API. */
@NullMarked
package io.interlock.engine.internal;

import org.jspecify.annotations.NullMarked;
