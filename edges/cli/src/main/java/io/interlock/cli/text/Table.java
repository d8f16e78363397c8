package io.interlock.cli.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** A table without borders: capitals on top, two spaces between columns, nothing cut. Not safe for use by many threads. */
public final class Table {

    private final List<String> columns;
    private final List<List<String>> rows = new ArrayList<>();

    /** An empty table. */
    public Table(String... columns) {
        this.columns = List.of(columns);
    }

    /** Adds a row. */
    public Table row(String... cells) {
        if (cells.length != columns.size()) {
            throw new IllegalArgumentException(cells.length + " cells for " + columns.size() + " columns");
        }
        rows.add(List.of(cells));
        return this;
    }

    /** Writes it, with its header or without. */
    public void print(Console console, boolean header) {
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = header ? width(columns.get(i)) : 0;
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], width(cell(row, i)));
            }
        }
        if (header) {
            List<String> titles =
                    columns.stream().map(name -> name.toUpperCase(Locale.ROOT)).toList();
            console.print(console.coloured(line(titles, widths), Console.Colour.STRONG));
        }
        rows.forEach(row -> console.print(line(row, widths)));
    }

    private static String line(List<String> cells, int[] widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            String cell = cell(cells, i);
            line.append(cell);
            if (i < widths.length - 1) {
                line.append(" ".repeat(widths[i] - width(cell) + 2));
            }
        }
        return line.toString().stripTrailing();
    }

    // An empty cell would shift the columns for whoever splits at spaces.
    private static String cell(List<String> row, int column) {
        return row.get(column).isEmpty() ? "-" : row.get(column);
    }

    private static int width(String text) {
        return text.codePointCount(0, text.length());
    }
}
