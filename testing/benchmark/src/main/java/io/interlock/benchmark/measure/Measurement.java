package io.interlock.benchmark.measure;

import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;

/** What one contender did in one round. Immutable. */
public final class Measurement {

    private final Map<Figure, Double> figures;

    private Measurement(Map<Figure, Double> figures) {
        this.figures = Collections.unmodifiableMap(figures);
    }

    /** Nothing measured yet. */
    public static Measurement none() {
        return new Measurement(new EnumMap<>(Figure.class));
    }

    /** This, with one more figure. */
    public Measurement with(Figure figure, double value) {
        Map<Figure, Double> all = new EnumMap<>(Figure.class);
        all.putAll(figures);
        all.put(figure, value);
        return new Measurement(all);
    }

    /** This, with a figure under another name. */
    public Measurement renamed(Figure from, Figure to) {
        Map<Figure, Double> all = new EnumMap<>(Figure.class);
        figures.forEach((figure, value) -> all.put(figure == from ? to : figure, value));
        return new Measurement(all);
    }

    /** This, with what the machine and the database did meanwhile, for each step. */
    public Measurement with(Use use) {
        Map<Figure, Double> all = new EnumMap<>(Figure.class);
        all.putAll(figures);
        all.putAll(use.perStep());
        return new Measurement(all);
    }

    /** The value of {@code figure}, if it was measured. */
    public OptionalDouble value(Figure figure) {
        Double value = figures.get(figure);
        return value == null ? OptionalDouble.empty() : OptionalDouble.of(value);
    }

    /** All of it. */
    public Map<Figure, Double> figures() {
        return figures;
    }
}
