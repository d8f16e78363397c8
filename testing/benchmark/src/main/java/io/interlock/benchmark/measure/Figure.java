package io.interlock.benchmark.measure;

/** What can be measured, and how a table shows it. */
public enum Figure {
    /** Steps a second, of all threads together. */
    PER_SECOND("per second", 0, true),
    /** Median time of one step. */
    P50_MICROS("p50 µs", 0, false),
    /** The time that one step of a hundred exceeds. */
    P99_MICROS("p99 µs", 0, false),
    /** Median time of one step. */
    P50_MILLIS("p50 ms", 2, false),
    /** The time that one step of a hundred exceeds. */
    P99_MILLIS("p99 ms", 2, false),
    /** Time until all was done. */
    MILLIS("ms", 1, false),
    /** Round trips between client and PostgreSQL for one step. */
    ROUND_TRIPS("round trips", 2, false),
    /** Transactions with a write for one step: transaction ids that were used up. */
    COMMITS("write commits", 2, false),
    /** Bytes of write-ahead log for one step. */
    WAL_BYTES("WAL bytes", 0, false),
    /** Share of the updates that touched no index. */
    HOT_PERCENT("HOT updates %", 0, true),
    /** CPU time of all PostgreSQL processes for one step. */
    SERVER_CPU_MICROS("server CPU µs", 0, false),
    /** CPU time that processes outside of the benchmark used meanwhile, in percent of one core. */
    FOREIGN_CPU_PERCENT("foreign CPU %", 0, false),
    /** CPU time of the compilers of all JVMs under test meanwhile, in percent of one core. */
    COMPILER_CPU_PERCENT("JIT CPU %", 0, false),
    /** Submissions a second. */
    SUBMITS_PER_SECOND("submits/s", 0, true),
    /** Runs ended a second. */
    ENDS_PER_SECOND("ends/s", 0, true),
    /** Callers that waited. */
    WAITING("waiting", 0, true),
    /** Callers that waited, lived, and were declared lost. */
    LOST("lost", 0, false),
    /** How many there are. */
    COUNT("count", 0, true),
    /** How much of what was wanted there is. */
    FILLED_PERCENT("% of what was wanted", 0, true),
    /** Time of a step where little is stored. */
    SMALL_MICROS("small µs", 0, false),
    /** Time of a step where much is stored. */
    LARGE_MICROS("large µs", 0, false),
    /** How many times as long a step takes where much is stored. */
    GROWTH("large / small", 2, false);

    private final String label;
    private final int digits;
    private final boolean higherIsBetter;

    Figure(String label, int digits, boolean higherIsBetter) {
        this.label = label;
        this.digits = digits;
        this.higherIsBetter = higherIsBetter;
    }

    /** The heading of its column. */
    public String label() {
        return label;
    }

    /** How many digits behind the point are shown. */
    public int digits() {
        return digits;
    }

    /** Whether it is a ratio by itself. */
    public boolean isRatio() {
        return this == GROWTH;
    }

    /** Whether more is better. */
    public boolean higherIsBetter() {
        return higherIsBetter;
    }
}
