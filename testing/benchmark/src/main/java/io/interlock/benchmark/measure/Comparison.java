package io.interlock.benchmark.measure;

import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Stream;

/** Contenders side by side: all rounds of one table. Safe for use by many threads. */
public final class Comparison {

    private final String name;
    private final String title;
    private final Figure main;
    private final Map<String, List<Measurement>> rounds = new LinkedHashMap<>();
    private final Map<String, Map<Figure, Double>> counted = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * An empty one.
     *
     * @param name the name of its workload, or of a part of it
     * @param title what is measured
     * @param main what contenders are compared by
     */
    public Comparison(String name, String title, Figure main) {
        this.name = name;
        this.title = title;
        this.main = main;
    }

    /** The name of its workload, or of a part of it. */
    public String name() {
        return name;
    }

    /** What is measured. */
    public String title() {
        return title;
    }

    /** What contenders are compared by. */
    public Figure main() {
        return main;
    }

    /** Adds what {@code contender} did in one round. */
    public synchronized void add(String contender, Measurement measurement) {
        rounds.computeIfAbsent(contender, any -> new ArrayList<>()).add(measurement);
    }

    /** Adds what was counted once, apart from the rounds. */
    public synchronized void count(String contender, Figure figure, double value) {
        counted.computeIfAbsent(contender, any -> new EnumMap<>(Figure.class)).put(figure, value);
    }

    /** Adds a remark below the table. */
    public synchronized void note(String note) {
        if (!notes.contains(note)) {
            notes.add(note);
        }
    }

    /** Remarks below the table. */
    public synchronized List<String> notes() {
        return List.copyOf(notes);
    }

    /** The contenders in the order of their first turn. */
    public synchronized List<String> contenders() {
        return List.copyOf(rounds.keySet());
    }

    /** All values of {@code figure} of {@code contender}, round by round. */
    public synchronized List<Double> values(String contender, Figure figure) {
        return rounds.getOrDefault(contender, List.of()).stream()
                .flatMap(one -> one.value(figure).stream().boxed())
                .toList();
    }

    /** The figure for {@code contender}: what was counted apart, else the median over the rounds; of foreign load and compilers, the most. */
    public synchronized OptionalDouble value(String contender, Figure figure) {
        Double apart = counted.getOrDefault(contender, Map.of()).get(figure);
        if (apart != null) {
            return OptionalDouble.of(apart);
        }
        List<Double> values = values(contender, figure);
        if (values.isEmpty()) {
            return OptionalDouble.empty();
        }
        boolean disturbs = figure == Figure.FOREIGN_CPU_PERCENT || figure == Figure.COMPILER_CPU_PERCENT;
        return OptionalDouble.of(disturbs ? Collections.max(values) : Medians.of(values));
    }

    /** The figures that at least one contender has, the main one first. */
    public synchronized List<Figure> figures() {
        Set<Figure> known = EnumSet.noneOf(Figure.class);
        rounds.values()
                .forEach(all -> all.forEach(one -> known.addAll(one.figures().keySet())));
        counted.values().forEach(one -> known.addAll(one.keySet()));
        known.remove(main);
        return Stream.concat(Stream.of(main), known.stream()).toList();
    }

    /** How far two rows of the same contender are apart, as a ratio of at least 1; empty if there are no two. */
    public synchronized OptionalDouble noise() {
        for (String contender : rounds.keySet()) {
            OptionalDouble one = value(contender, main);
            OptionalDouble other = value(Contender.again(contender), main);
            if (one.isPresent() && other.isPresent()) {
                double ratio = one.getAsDouble() / other.getAsDouble();
                return OptionalDouble.of(Math.max(ratio, 1 / ratio));
            }
        }
        return OptionalDouble.empty();
    }
}
