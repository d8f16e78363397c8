/**
 * Injectable time and randomness: all code that needs the time, timers, threads or random numbers gets them from here.
 * Tests inject their own.
 */
@NullMarked
package io.interlock.time;

import org.jspecify.annotations.NullMarked;
