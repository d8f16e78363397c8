/** ShedLock on Interlock: keep {@code @SchedulerLock}, change the store. */
@NullMarked
package io.interlock.spring.shedlock;

import org.jspecify.annotations.NullMarked;
