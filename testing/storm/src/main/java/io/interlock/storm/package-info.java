/** A storm test: many runs on few keys, many processes, and faults; then a check of the result. */
@NullMarked
package io.interlock.storm;

import org.jspecify.annotations.NullMarked;
