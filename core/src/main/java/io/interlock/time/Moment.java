package io.interlock.time;

/**
 * One moment, on both clocks of this process.
 *
 * @param nanos by the ticker, which may stand still while the machine sleeps
 * @param wallMillis by the wall clock, which may be set back
 */
public record Moment(long nanos, long wallMillis) {}
