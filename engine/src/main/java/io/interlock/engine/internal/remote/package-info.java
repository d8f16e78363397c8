/** Passes on the steps of workers, callers and holders in other processes. */
@NullMarked
package io.interlock.engine.internal.remote;

import org.jspecify.annotations.NullMarked;
