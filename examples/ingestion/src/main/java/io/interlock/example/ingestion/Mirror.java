package io.interlock.example.ingestion;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Makes rows of a table equal to those of a page: inserts new rows, updates outdated ones, deletes obsolete ones, and
 * does not touch equal ones. So the same page twice changes nothing.
 *
 * @param table the table
 * @param scope the columns that select the rows: those of an event, or of a race
 * @param key the columns that identify rows of one scope
 * @param values the other columns
 */
record Mirror(String table, List<String> scope, List<String> key, List<String> values) {

    /**
     * Applies it in the transaction of {@code connection}.
     *
     * @param within the values of the scope columns
     * @param rows the values of the key and value columns of each row
     */
    void write(Connection connection, List<Object> within, List<List<Object>> rows) throws SQLException {
        Map<List<Object>, List<Object>> present = read(connection, within);
        List<List<Object>> inserts = new ArrayList<>();
        List<List<Object>> updates = new ArrayList<>();
        for (Map.Entry<List<Object>, List<Object>> row : split(rows).entrySet()) {
            List<Object> known = present.remove(row.getKey());
            if (known == null) {
                inserts.add(joined(joined(within, row.getKey()), row.getValue()));
            } else if (!known.equals(row.getValue())) {
                updates.add(joined(row.getValue(), joined(within, row.getKey())));
            }
        }
        List<List<Object>> deletes = new ArrayList<>();
        present.keySet().forEach(gone -> deletes.add(joined(within, gone)));

        List<String> identity = joined(scope, key);
        List<String> columns = joined(identity, values);
        String which = " WHERE " + equal(identity, " AND ");
        run(connection, "DELETE FROM " + table + which, deletes);
        if (!values.isEmpty()) {
            run(connection, "UPDATE " + table + " SET " + equal(values, ", ") + which, updates);
        }
        String marks = String.join(", ", Collections.nCopies(columns.size(), "?"));
        String names = String.join(", ", columns);
        run(connection, "INSERT INTO " + table + " (" + names + ") VALUES (" + marks + ")", inserts);
    }

    private Map<List<Object>, List<Object>> read(Connection connection, List<Object> within) throws SQLException {
        List<String> columns = joined(key, values);
        String sql = "SELECT " + String.join(", ", columns) + " FROM " + table + " WHERE " + equal(scope, " AND ");
        List<List<Object>> rows = new ArrayList<>();
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            fill(query, within);
            try (ResultSet found = query.executeQuery()) {
                while (found.next()) {
                    List<Object> row = new ArrayList<>();
                    for (int column = 1; column <= columns.size(); column++) {
                        row.add(plain(found.getObject(column)));
                    }
                    rows.add(row);
                }
            }
        }
        return new HashMap<>(split(rows));
    }

    private Map<List<Object>, List<Object>> split(List<List<Object>> rows) {
        Map<List<Object>, List<Object>> byKey = new LinkedHashMap<>();
        for (List<Object> row : rows) {
            List<Object> plain = row.stream().map(Mirror::plain).toList();
            byKey.put(plain.subList(0, key.size()), plain.subList(key.size(), plain.size()));
        }
        return byKey;
    }

    /** One type for whole numbers, regardless of the driver. */
    private static Object plain(Object value) {
        return value instanceof Number number ? number.longValue() : Objects.requireNonNull(value);
    }

    private static void run(Connection connection, String sql, List<List<Object>> rows) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (List<Object> row : rows) {
                fill(statement, row);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }

    private static void fill(PreparedStatement statement, List<Object> values) throws SQLException {
        for (int i = 0; i < values.size(); i++) {
            statement.setObject(i + 1, values.get(i));
        }
    }

    private static String equal(List<String> columns, String between) {
        return columns.stream().map(column -> column + " = ?").collect(Collectors.joining(between));
    }

    private static <T> List<T> joined(List<T> first, List<T> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }
}
