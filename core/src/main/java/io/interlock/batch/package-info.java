/** Combines concurrent calls of a process into batches, to save round trips. */
@NullMarked
package io.interlock.batch;

import org.jspecify.annotations.NullMarked;
