package io.interlock.example.ingestion;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Pages that were fetched before the lock. A page and its version are one row, replaced as a whole, so concurrent
 * fetchers cannot mix them; the version is checked again under the lock. Thread-safe.
 */
final class StagedPages {

    private static final String KEEP = """
            INSERT INTO page (path, version, body) VALUES (?, ?, ?)
            ON CONFLICT (path) DO UPDATE SET version = excluded.version, body = excluded.body
            WHERE page.version <> excluded.version""";

    private final Database database;

    StagedPages(Database database) {
        this.database = database;
    }

    void keep(Page page) throws SQLException {
        database.write(connection -> {
            try (PreparedStatement statement = connection.prepareStatement(KEEP)) {
                statement.setString(1, page.path());
                statement.setString(2, page.version());
                statement.setString(3, page.body());
                return statement.executeUpdate();
            }
        });
    }

    Optional<Page> find(String path) throws SQLException {
        return database.read(connection -> {
            try (PreparedStatement query =
                    connection.prepareStatement("SELECT version, body FROM page WHERE path = ?")) {
                query.setString(1, path);
                try (ResultSet row = query.executeQuery()) {
                    return row.next()
                            ? Optional.of(new Page(path, row.getString(1), row.getString(2)))
                            : Optional.empty();
                }
            }
        });
    }
}
