/**
 * Tells the outside world of what people should look at: dead letters, lost leases, lost lock state, overdue and evicted
 * runs, runs that had one key at a time. By signed webhook or by command, again until it is delivered.
 */
@NullMarked
package io.interlock.engine.notify;

import org.jspecify.annotations.NullMarked;
