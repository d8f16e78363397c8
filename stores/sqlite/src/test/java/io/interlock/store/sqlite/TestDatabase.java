package io.interlock.store.sqlite;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** A connection of a test's own to the file of a store. */
final class TestDatabase implements AutoCloseable {

    private final Connection connection;

    TestDatabase(Path file) {
        try {
            connection = DriverManager.getConnection("jdbc:sqlite:" + file);
            execute("PRAGMA busy_timeout = 10000");
        } catch (SQLException failure) {
            throw new AssertionError(failure);
        }
    }

    void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failure) {
            throw new AssertionError(sql, failure);
        }
    }

    long number(String sql) {
        return Long.parseLong(text(sql));
    }

    String text(String sql) {
        return column(sql, 1);
    }

    String column(String sql, int column) {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(column) : "";
        } catch (SQLException failure) {
            throw new AssertionError(sql, failure);
        }
    }

    List<String> columns(String sql, int column) {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(column));
            }
            return found;
        } catch (SQLException failure) {
            throw new AssertionError(sql, failure);
        }
    }

    @Override
    public void close() {
        try {
            connection.close();
        } catch (SQLException failure) {
            throw new AssertionError(failure);
        }
    }
}
