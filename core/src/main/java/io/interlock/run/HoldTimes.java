package io.interlock.run;

import java.time.Duration;
import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * How long runs had their keys, as counts of steps: each step is {@value #PER_DOUBLING}th root of 2 longer than the one before, from a
 * millisecond on. So a percentile is at most a tenth off, for any number of runs and from any number of processes. Immutable.
 *
 * @param counts how many times were within each step
 */
public record HoldTimes(SortedMap<Integer, Long> counts) {

    /** No times. */
    public static final HoldTimes NONE = new HoldTimes(Collections.emptySortedMap());

    private static final int PER_DOUBLING = 4;

    public HoldTimes {
        counts = Collections.unmodifiableSortedMap(new TreeMap<>(counts));
    }

    public static HoldTimes of(Duration time) {
        return new HoldTimes(new TreeMap<>(Collections.singletonMap(step(time), 1L)));
    }

    private static int step(Duration time) {
        long millis = time.toMillis();
        return millis < 1 ? 0 : 1 + (int) Math.floor(PER_DOUBLING * Math.log((double) millis) / Math.log(2));
    }

    /** Those of both. */
    public HoldTimes plus(HoldTimes more) {
        SortedMap<Integer, Long> sum = new TreeMap<>(counts);
        more.counts.forEach((step, count) -> sum.merge(step, count, Long::sum));
        return new HoldTimes(sum);
    }

    /** How many there are. */
    public long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** About the time that this part of all times, from 0 to 1, does not exceed; empty if there are no times. */
    public Optional<Duration> within(double part) {
        long wanted = Math.max(1, (long) Math.ceil(part * total()));
        long seen = 0;
        for (var each : counts.entrySet()) {
            seen += each.getValue();
            if (seen >= wanted) {
                // The middle of the step, in the sense of ratios.
                double millis = each.getKey() == 0 ? 0 : Math.pow(2, (each.getKey() - 0.5) / PER_DOUBLING);
                return Optional.of(Duration.ofMillis(Math.round(millis)));
            }
        }
        return Optional.empty();
    }

    /**
     * The times with this {@link #toString() text}.
     *
     * @throws NumberFormatException if they are none
     */
    public static HoldTimes parse(String text) {
        SortedMap<Integer, Long> counts = new TreeMap<>();
        for (String each : text.isEmpty() ? new String[0] : text.split(" ", -1)) {
            int colon = each.indexOf(':');
            counts.put(Integer.parseInt(each.substring(0, colon)), Long.parseLong(each.substring(colon + 1)));
        }
        return new HoldTimes(counts);
    }

    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map(each -> each.getKey() + ":" + each.getValue())
                .collect(Collectors.joining(" "));
    }
}
