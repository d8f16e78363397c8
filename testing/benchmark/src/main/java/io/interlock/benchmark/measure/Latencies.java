package io.interlock.benchmark.measure;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;

/** Times, counted in buckets that are 3 % wide, so that millions of them need little memory. Safe for use by many threads. */
public final class Latencies {

    private static final int STEPS_PER_DOUBLING = 32;
    private static final int DOUBLINGS = 58;

    private final AtomicLongArray counts = new AtomicLongArray(STEPS_PER_DOUBLING * (DOUBLINGS + 2));

    /** Counts one. */
    public void record(long nanos) {
        counts.incrementAndGet(bucket(Math.max(0, nanos)));
    }

    /** Forgets all. */
    public void clear() {
        for (int i = 0; i < counts.length(); i++) {
            counts.set(i, 0);
        }
    }

    /** How many there are. */
    public long size() {
        long size = 0;
        for (int i = 0; i < counts.length(); i++) {
            size += counts.get(i);
        }
        return size;
    }

    /** The time that {@code share} of all do not exceed, in microseconds; 0 if there are none. */
    public double micros(double share) {
        return nanos(share) / (double) TimeUnit.MICROSECONDS.toNanos(1);
    }

    /** The time that {@code share} of all do not exceed, in milliseconds; 0 if there are none. */
    public double millis(double share) {
        return nanos(share) / (double) TimeUnit.MILLISECONDS.toNanos(1);
    }

    private long nanos(double share) {
        long rank = Math.max(1, (long) Math.ceil(size() * share));
        long seen = 0;
        for (int i = 0; i < counts.length(); i++) {
            seen += counts.get(i);
            if (seen >= rank) {
                return middle(i);
            }
        }
        return 0;
    }

    private static int bucket(long nanos) {
        if (nanos < STEPS_PER_DOUBLING) {
            return (int) nanos;
        }
        int shift = Long.SIZE - Long.numberOfLeadingZeros(nanos / STEPS_PER_DOUBLING) - 1;
        return shift * STEPS_PER_DOUBLING + (int) (nanos >>> shift);
    }

    private static long middle(int bucket) {
        if (bucket < 2 * STEPS_PER_DOUBLING) {
            return bucket;
        }
        int shift = bucket / STEPS_PER_DOUBLING - 1;
        long low = (long) (bucket - shift * STEPS_PER_DOUBLING) << shift;
        return low + (1L << shift) / 2;
    }
}
