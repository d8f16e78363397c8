package io.interlock.example.clusters;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** On a file. */
class SqliteClusterChaosTest extends ClusterChaosContract {

    private Path file = Path.of("");

    @Override
    String store(Path folder) {
        file = folder.resolve("interlock.db");
        return "sqlite:" + file + "?timeout=1s";
    }

    /** Another connection locks the file. */
    @Override
    void away(Runnable meanwhile) {
        execute("BEGIN EXCLUSIVE", meanwhile);
    }

    @Override
    void loseLease(String key) {
        execute("UPDATE interlock_lease SET lease_id = NULL WHERE name = '" + key + "'", () -> {});
    }

    private void execute(String sql, Runnable then) {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file + "?busy_timeout=20000");
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
            then.run();
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }
}
