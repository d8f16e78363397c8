/**
 * A client of a server: its locks as {@link io.interlock.locks.Locks}, its runs as the engine's types, and workers for it. Begin with
 * {@link io.interlock.client.InterlockClient}.
 */
@NullMarked
package io.interlock.client;

import org.jspecify.annotations.NullMarked;
