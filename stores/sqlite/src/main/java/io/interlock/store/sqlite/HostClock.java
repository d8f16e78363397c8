package io.interlock.store.sqlite;

import java.io.IOException;
import java.time.Duration;

/**
 * A clock that all processes of this machine share. Implementations are safe for use by many threads, and reading is not
 * disturbed by an interrupt.
 */
interface HostClock {

    /** The name of the period in which {@link #uptime()} counts on. A lease from another period is over. */
    String bootId();

    /** Microseconds since that period began. */
    long uptime() throws IOException;

    /** Whether it never goes back, so that reading less than another process wrote means that it has another clock. */
    boolean steady();

    /** The smallest difference it can tell. */
    Duration precision();
}
