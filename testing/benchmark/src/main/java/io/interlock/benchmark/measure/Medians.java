package io.interlock.benchmark.measure;

import java.util.Collection;

/** Arithmetic on a few values. */
public final class Medians {

    private Medians() {}

    /**
     * The median: of an even number of values, the mean of the two in the middle.
     *
     * @throws IllegalArgumentException if there are none
     */
    public static double of(Collection<Double> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("no values, so no median");
        }
        double[] sorted =
                values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
