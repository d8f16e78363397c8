/**
 * A worker of a server. It takes the server for its store, and so knows what engines ask of stores; nothing else of the commands does.
 */
@NullMarked
package io.interlock.cli.remote;

import org.jspecify.annotations.NullMarked;
