package io.interlock.time;

import java.time.Duration;

/**
 * One moment, on both clocks of this process.
 *
 * @param nanos by the ticker, which may stand still while the machine sleeps
 * @param wallMillis by the wall clock, which may be set back
 */
public record Moment(long nanos, long wallMillis) {

    /** The moment {@code time} before this one. */
    public Moment minus(Duration time) {
        return new Moment(nanos - time.toNanos(), wallMillis - time.toMillis());
    }
}
