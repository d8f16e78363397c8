/** A storm: many runs on few keys, many processes, and faults; then a look at what is left. */
@NullMarked
package io.interlock.storm;

import org.jspecify.annotations.NullMarked;
