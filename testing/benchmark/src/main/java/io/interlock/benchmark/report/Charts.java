package io.interlock.benchmark.report;

import io.interlock.benchmark.measure.Comparison;
import io.interlock.benchmark.measure.Contender;
import io.interlock.benchmark.measure.Figure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Which pictures there are: one for each family of workloads, such as {@code acquire-1}, {@code acquire-8}, {@code acquire-64}. */
final class Charts {

    private static final double GROWTH_BAR = 1.5;

    private Charts() {}

    static List<Chart> of(List<Comparison> comparisons) {
        Map<String, List<Comparison>> families = new LinkedHashMap<>();
        for (Comparison comparison : comparisons) {
            if (!comparison.contenders().isEmpty()) {
                families.computeIfAbsent(family(comparison.name()), any -> new ArrayList<>())
                        .add(comparison);
            }
        }
        List<Chart> charts = new ArrayList<>();
        families.forEach((family, members) -> charts.add(new Chart(
                family, members.get(0).main() == Figure.GROWTH ? growth(members.get(0)) : grouped(family, members))));
        return charts;
    }

    /** What stands before the first part that begins with a digit. */
    private static String family(String name) {
        return name.replaceAll("-\\d.*$", "");
    }

    private static String grouped(String family, List<Comparison> members) {
        Figure figure = members.get(0).main();
        BarChart chart =
                new BarChart(family + ", " + figure.label() + (figure.higherIsBetter() ? "" : " (less is better)"));
        for (Comparison member : members) {
            for (String contender : member.contenders()) {
                if (!Contender.isAgain(contender)) {
                    member.value(contender, figure).ifPresent(value -> chart.bar(member.name(), contender, value));
                }
            }
        }
        return chart.svg();
    }

    private static String growth(Comparison growth) {
        BarChart chart =
                new BarChart("Growth: how many times as long a step takes where much is stored").line(GROWTH_BAR);
        for (String step : growth.contenders()) {
            growth.value(step, Figure.GROWTH).ifPresent(value -> chart.bar(step, "large / small", value));
        }
        return chart.svg();
    }
}
