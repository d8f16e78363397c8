/** {@code interlock run}: waits for a key, runs a command under it, and stops it when the key is lost. */
@NullMarked
package io.interlock.cli.run;

import org.jspecify.annotations.NullMarked;
