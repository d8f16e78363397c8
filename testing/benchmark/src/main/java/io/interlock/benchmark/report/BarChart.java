package io.interlock.benchmark.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Horizontal bars in groups, as SVG: a group for each workload, a colour for each contender. Not safe for use by many threads. */
final class BarChart {

    private static final List<String> COLOURS =
            List.of("#1b6ac9", "#e07b00", "#8a8a8a", "#3b9a57", "#a33ea1", "#b3261e");
    private static final int WIDTH = 760;
    private static final int LEFT = 190;
    private static final int RIGHT = 90;
    private static final int BAR = 16;
    private static final int GAP = 10;
    private static final int TOP = 64;
    private static final int LEGEND_Y = 46;

    private final String title;
    private final Map<String, Map<String, Double>> groups = new LinkedHashMap<>();
    private final Set<String> series = new LinkedHashSet<>();
    private @Nullable Double line;

    BarChart(String title) {
        this.title = title;
    }

    /** Adds a bar. */
    BarChart bar(String group, String name, double value) {
        groups.computeIfAbsent(group, any -> new LinkedHashMap<>()).put(name, value);
        series.add(name);
        return this;
    }

    /** Draws a line across all bars at {@code value}. */
    BarChart line(double value) {
        line = value;
        return this;
    }

    String svg() {
        int bars = groups.values().stream().mapToInt(Map::size).sum();
        int height = TOP + bars * BAR + groups.size() * GAP + GAP;
        StringBuilder svg = new StringBuilder(String.format(
                Locale.ROOT,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\""
                        + " role=\"img\" font-family=\"sans-serif\" font-size=\"12\">%n",
                WIDTH,
                height,
                WIDTH,
                height));
        svg.append("<title>").append(escape(title)).append("</title>\n");
        svg.append("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
        text(svg, 12, 22, "start", "font-weight=\"bold\" font-size=\"14\"", title);
        legend(svg);
        bars(svg, height);
        return svg.append("</svg>\n").toString();
    }

    private void legend(StringBuilder svg) {
        List<String> names = new ArrayList<>(series);
        int x = 12;
        for (String name : names) {
            rect(svg, x, LEGEND_Y - 10, 11, 11, colour(name));
            text(svg, x + 16, LEGEND_Y, "start", "", name);
            x += 30 + name.length() * 7;
        }
    }

    private void bars(StringBuilder svg, int height) {
        double most = groups.values().stream()
                .flatMap(group -> group.values().stream())
                .mapToDouble(Double::doubleValue)
                .max()
                .orElse(1);
        most = Math.max(most, line == null ? 0 : line);
        double scale = most > 0 ? (WIDTH - LEFT - RIGHT) / most : 0;
        int y = TOP;
        for (Map.Entry<String, Map<String, Double>> group : groups.entrySet()) {
            int middle = y + group.getValue().size() * BAR / 2 + 4;
            text(svg, LEFT - 8, middle, "end", "", group.getKey());
            for (Map.Entry<String, Double> bar : group.getValue().entrySet()) {
                double width = Math.max(1, bar.getValue() * scale);
                rect(svg, LEFT, y, width, BAR - 3, colour(bar.getKey()));
                text(svg, LEFT + width + 5, y + BAR - 5, "start", "fill=\"#444444\"", number(bar.getValue()));
                y += BAR;
            }
            y += GAP;
        }
        if (line != null) {
            double x = LEFT + line * scale;
            svg.append(String.format(
                    Locale.ROOT,
                    "<line x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\" stroke=\"#b3261e\" stroke-dasharray=\"4 3\"/>%n",
                    x,
                    TOP - 6,
                    x,
                    height - GAP));
        }
    }

    private String colour(String name) {
        int index = new ArrayList<>(series).indexOf(name);
        return COLOURS.get(index % COLOURS.size());
    }

    private static void rect(StringBuilder svg, double x, double y, double width, double height, String colour) {
        svg.append(String.format(
                Locale.ROOT,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>%n",
                x,
                y,
                width,
                height,
                colour));
    }

    private static void text(StringBuilder svg, double x, double y, String anchor, String more, String text) {
        svg.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" ", x, y, anchor));
        svg.append(more).append(">").append(escape(text)).append("</text>\n");
    }

    private static String number(double value) {
        Function<String, String> with = format -> String.format(Locale.ROOT, format, value);
        return value >= 100 ? with.apply("%,.0f") : value >= 10 ? with.apply("%.1f") : with.apply("%.2f");
    }

    private static String escape(String text) {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
    }
}
