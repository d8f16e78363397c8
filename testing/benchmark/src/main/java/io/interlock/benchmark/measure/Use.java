package io.interlock.benchmark.measure;

import java.util.EnumMap;
import java.util.Map;

/**
 * What was used in a span of time.
 *
 * @param seconds its length
 * @param foreign CPU seconds of processes outside of the benchmark
 * @param server CPU seconds of the database
 * @param compilers CPU seconds of the compilers of the JVMs under test
 * @param walBytes bytes of write-ahead log
 * @param transactions transaction ids used up
 * @param steps how many steps were done, if they were counted
 * @param hasDatabase whether there is a database
 */
public record Use(
        double seconds,
        double foreign,
        double server,
        double compilers,
        long walBytes,
        long transactions,
        long steps,
        boolean hasDatabase) {

    /** This, for so many steps. */
    public Use of(long steps) {
        return new Use(seconds, foreign, server, compilers, walBytes, transactions, steps, hasDatabase);
    }

    /** This, and for each of its steps what {@code other} used for one of its own. */
    public Use plus(Use other) {
        double scale = other.steps == 0 ? 0 : (double) steps / other.steps;
        return new Use(
                seconds + other.seconds,
                foreign + other.foreign,
                server + other.server * scale,
                compilers + other.compilers,
                walBytes + Math.round(other.walBytes * scale),
                transactions + Math.round(other.transactions * scale),
                steps,
                hasDatabase);
    }

    /** For each of its steps; the foreign load is for all. */
    public Map<Figure, Double> perStep() {
        Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        if (seconds > 0) {
            figures.put(Figure.FOREIGN_CPU_PERCENT, foreign / seconds * 100);
            figures.put(Figure.COMPILER_CPU_PERCENT, compilers / seconds * 100);
        }
        if (hasDatabase && steps > 0) {
            figures.put(Figure.COMMITS, (double) transactions / steps);
            figures.put(Figure.WAL_BYTES, (double) walBytes / steps);
            figures.put(Figure.SERVER_CPU_MICROS, server * 1e6 / steps);
        }
        return figures;
    }
}
