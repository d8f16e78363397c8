package io.interlock.benchmark.report;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Figure;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** A comparison as a Markdown table. */
final class MarkdownTable {

    private MarkdownTable() {}

    static String of(Comparison comparison) {
        StringBuilder text = new StringBuilder("### " + comparison.name() + ": " + comparison.title() + "\n\n");
        if (comparison.contenders().isEmpty()) {
            return text.append("Nothing was measured.\n").toString();
        }
        List<Figure> figures = comparison.figures();
        text.append("| |");
        figures.forEach(figure -> text.append(" ").append(figure.label()).append(" |"));
        text.append("\n|---|").append("---:|".repeat(figures.size())).append("\n");
        for (String contender : comparison.contenders()) {
            text.append("| ").append(contender).append(" |");
            figures.forEach(figure ->
                    text.append(" ").append(cell(comparison, contender, figure)).append(" |"));
            text.append("\n");
        }
        comparison
                .noise()
                .ifPresent(noise -> text.append(String.format(
                        Locale.ROOT, "%nNoise: two rows of the same contender differ by a factor of %.2f.%n", noise)));
        comparison.notes().forEach(note -> text.append("\n").append(note).append("\n"));
        return text.toString();
    }

    private static String cell(Comparison comparison, String contender, Figure figure) {
        OptionalDouble value = comparison.value(contender, figure);
        if (value.isEmpty()) {
            return "";
        }
        List<Double> rounds = comparison.values(contender, figure);
        String median = number(value.getAsDouble(), figure);
        return figure == comparison.main() && rounds.size() > 1
                ? median + " [" + number(Collections.min(rounds), figure) + "–"
                        + number(Collections.max(rounds), figure) + "]"
                : median;
    }

    private static String number(double value, Figure figure) {
        // Small figures lose their meaning when they are rounded to whole numbers.
        int digits = value != 0 && Math.abs(value) < 10 ? Math.max(1, figure.digits()) : figure.digits();
        return String.format(Locale.ROOT, "%,." + digits + "f", value);
    }
}
