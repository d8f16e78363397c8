package io.interlock.cli.text;

import io.interlock.service.Facts;
import io.interlock.service.PlainText;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Function;

/**
 * A table without borders: capitals on top, two spaces between columns, no cell cut. On a terminal that has too little room, columns
 * that can be spared are left out. Not safe for use by many threads.
 */
public final class Table {

    private static final int GAP = 2;
    private static final int HIDDEN = -1;
    private static final Set<Character.UnicodeScript> WIDE = EnumSet.of(
            Character.UnicodeScript.HANGUL,
            Character.UnicodeScript.HIRAGANA,
            Character.UnicodeScript.KATAKANA,
            Character.UnicodeScript.BOPOMOFO);
    private static final int FIRST_FULL = 0xFF01;
    private static final int LAST_FULL = 0xFF60;
    private static final int LAST_HALF = 0xFFDC;
    private static final int FIRST_EMOJI = 0x1F300;
    private static final int LAST_EMOJI = 0x1FAFF;

    private final List<String> columns = new ArrayList<>();
    private final List<Function<Facts, String>> cells = new ArrayList<>();
    private List<String> spare = List.of();

    /** Adds columns that show the fields of their names. */
    public Table of(String... names) {
        for (String name : names) {
            of(name, item -> item.shown(name));
        }
        return this;
    }

    public Table of(String title, Function<Facts, String> cell) {
        columns.add(title);
        cells.add(cell);
        return this;
    }

    /** These columns are left out where there is little room, the first of them first. */
    public Table sparing(String... names) {
        spare = List.of(names);
        return this;
    }

    /**
     * Writes a row for each of {@code items}.
     *
     * @param wide whether no column is left out
     */
    public void print(List<Facts> items, Console console, boolean header, boolean wide) {
        // As they will be shown: a cell is as wide as that.
        List<List<String>> rows = items.stream()
                .map(item -> cells.stream()
                        .map(cell -> PlainText.lines(cell.apply(item)))
                        .toList())
                .toList();
        int[] widths = widths(rows, header);
        List<String> left = new ArrayList<>();
        (wide ? OptionalInt.empty() : console.width()).ifPresent(room -> {
            for (int i = 0; i < spare.size() && needed(widths) > room; i++) {
                widths[columns.indexOf(spare.get(i))] = HIDDEN;
                left.add(spare.get(i));
            }
        });
        if (header) {
            List<String> titles =
                    columns.stream().map(name -> name.toUpperCase(Locale.ROOT)).toList();
            console.printTitle(line(titles, widths));
        }
        rows.forEach(row -> console.print(line(row, widths)));
        if (!left.isEmpty()) {
            console.say("hidden for lack of room: " + String.join(", ", left) + " (--wide shows everything)");
        }
    }

    private int[] widths(List<List<String>> rows, boolean header) {
        int[] widths = new int[columns.size()];
        for (int i = 0; i < widths.length; i++) {
            widths[i] = header ? width(columns.get(i)) : 0;
            for (List<String> row : rows) {
                widths[i] = Math.max(widths[i], width(cell(row, i)));
            }
        }
        return widths;
    }

    private static int needed(int... widths) {
        return Arrays.stream(widths)
                        .filter(width -> width != HIDDEN)
                        .map(width -> width + GAP)
                        .sum()
                - GAP;
    }

    private static String line(List<String> cells, int... widths) {
        StringBuilder line = new StringBuilder();
        for (int i = 0; i < widths.length; i++) {
            if (widths[i] != HIDDEN) {
                String cell = cell(cells, i);
                line.append(cell).append(" ".repeat(widths[i] - width(cell) + GAP));
            }
        }
        return line.toString().stripTrailing();
    }

    // An empty cell would shift the columns for a reader that splits at spaces.
    private static String cell(List<String> row, int column) {
        return row.get(column).isEmpty() ? "-" : row.get(column);
    }

    /** How many columns of a terminal it takes: characters of East Asia and emoji take two, marks on other characters none. */
    private static int width(String text) {
        return text.codePoints().map(Table::width).sum();
    }

    private static int width(int codePoint) {
        int type = Character.getType(codePoint);
        if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK || type == Character.FORMAT) {
            return 0;
        }
        boolean half = codePoint > LAST_FULL && codePoint <= LAST_HALF;
        boolean wide = Character.isIdeographic(codePoint)
                || (!half && WIDE.contains(Character.UnicodeScript.of(codePoint)))
                || (codePoint >= FIRST_FULL && codePoint <= LAST_FULL)
                || (codePoint >= FIRST_EMOJI && codePoint <= LAST_EMOJI);
        return wide ? 2 : 1;
    }
}
