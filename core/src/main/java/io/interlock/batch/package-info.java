/** Many calls, few trips: turns what the threads of a process ask for at the same time into batches. */
@NullMarked
package io.interlock.batch;

import org.jspecify.annotations.NullMarked;
