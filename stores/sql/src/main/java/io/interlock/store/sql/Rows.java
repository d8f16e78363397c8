package io.interlock.store.sql;

import io.interlock.LockKey;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of values that a statement takes as one table, see {@link Dialect#render}. The columns are those the statement names,
 * in that order. Belongs to one thread.
 */
public final class Rows {

    private final List<@Nullable Object[]> rows = new ArrayList<>();

    /** One row: a text, a {@link Long}, an {@link Integer} or {@code null} for each column. */
    public static Rows of(@Nullable Object... values) {
        Rows one = new Rows();
        one.add(values);
        return one;
    }

    /** A row of one column for each of {@code texts}. */
    static Rows ofTexts(Collection<String> texts) {
        Rows rows = new Rows();
        texts.forEach(rows::add);
        return rows;
    }

    /** Tenant and name of each of {@code keys}. */
    static Rows ofKeys(Collection<LockKey> keys) {
        Rows rows = new Rows();
        keys.forEach(key -> rows.add(key.tenant(), key.name()));
        return rows;
    }

    /** Adds a row, as {@link #of}. */
    public void add(@Nullable Object... values) {
        rows.add(values);
    }

    public List<@Nullable Object[]> all() {
        return rows;
    }

    public int size() {
        return rows.size();
    }

    public boolean isEmpty() {
        return rows.isEmpty();
    }

    /** They as a JSON array of arrays, for databases that take tables in that form. */
    public String toJson() {
        StringBuilder json = new StringBuilder("[");
        for (int i = 0; i < rows.size(); i++) {
            json.append(i == 0 ? "[" : ",[");
            @Nullable Object[] values = rows.get(i);
            for (int j = 0; j < values.length; j++) {
                json.append(j == 0 ? "" : ",");
                append(json, values[j]);
            }
            json.append(']');
        }
        return json.append(']').toString();
    }

    private static void append(StringBuilder json, @Nullable Object value) {
        if (!(value instanceof String text)) {
            json.append(value);
            return;
        }
        json.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                json.append('\\').append(c);
            } else if (c < 0x20) {
                json.append(String.format("\\u%04x", (int) c));
            } else {
                json.append(c);
            }
        }
        json.append('"');
    }
}
