package io.interlock.benchmark.report;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Figure;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What a figure of one contender must reach: a ratio to the same figure of another one in the same run, or a value.
 *
 * @param name what its line says
 * @param comparison the name of the comparison it is about
 * @param contender who must reach it
 * @param figure what is compared
 * @param peer the one it is compared with, or {@code null} if {@code base} or nothing takes its place
 * @param base what it is compared with if there is no peer, such as a figure of an earlier time; 1 for the value itself
 * @param limit the bar
 */
public record Bar(
        String name,
        String comparison,
        String contender,
        Figure figure,
        @Nullable String peer,
        double base,
        Limit limit) {

    /** {@code contender} against {@code peer}, by the main figure of the comparison named so. */
    public static Bar ratio(String name, Figure figure, String contender, String peer, Limit limit) {
        return new Bar(name, comparisonOf(name), contender, figure, peer, 1, limit);
    }

    /** {@code contender} against a figure of an earlier time. */
    public static Bar ratioTo(String name, Figure figure, String contender, double base, Limit limit) {
        return new Bar(name, comparisonOf(name), contender, figure, null, base, limit);
    }

    /** The figure itself. */
    public static Bar value(String name, Figure figure, String contender, Limit limit) {
        return new Bar(name, comparisonOf(name), contender, figure, null, 1, limit);
    }

    /** Whether it is reached by the comparison among {@code all} that it is about. */
    public BarResult judge(List<Comparison> all) {
        OptionalDouble reached = all.stream()
                .filter(one -> one.name().equals(comparison))
                .map(this::reached)
                .filter(OptionalDouble::isPresent)
                .findFirst()
                .orElse(OptionalDouble.empty());
        return new BarResult(name, isRatio() ? "ratio" : "value", reached, limit);
    }

    private boolean isRatio() {
        return peer != null || base != 1 || figure.isRatio();
    }

    private OptionalDouble reached(Comparison measured) {
        OptionalDouble ours = measured.value(contender, figure);
        OptionalDouble theirs = peer == null ? OptionalDouble.of(base) : measured.value(peer, figure);
        return ours.isPresent() && theirs.isPresent() && theirs.getAsDouble() != 0
                ? OptionalDouble.of(ours.getAsDouble() / theirs.getAsDouble())
                : OptionalDouble.empty();
    }

    /** What stands before the slash in a name such as {@code acquire-1/wal}. */
    private static String comparisonOf(String name) {
        int slash = name.indexOf('/');
        return slash < 0 ? name : name.substring(0, slash);
    }
}
