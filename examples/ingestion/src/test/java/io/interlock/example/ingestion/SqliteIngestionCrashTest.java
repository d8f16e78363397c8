package io.interlock.example.ingestion;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** Events in a file. */
class SqliteIngestionCrashTest extends IngestionCrashContract {

    @Override
    Place place(Path folder) {
        return Place.files(folder);
    }

    /** A count that takes hours, in the middle of the laps. */
    @Override
    void stall() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE many AS SELECT a.car FROM lap a LIMIT 1");
            statement.execute("INSERT INTO many VALUES (1)");
            for (int doubled = 0; doubled < 10; doubled++) {
                statement.execute("INSERT INTO many SELECT car FROM many");
            }
            statement.execute("CREATE TRIGGER stall BEFORE INSERT ON lap WHEN NEW.race = 3 AND NEW.lap = 4 BEGIN "
                    + "SELECT count(*) FROM many a, many b, many c, many d; END");
            connection.commit();
        }
    }

    /** A writer is active, so no other can write. */
    @Override
    boolean stalled() {
        return isWritten(rig.database());
    }

    /** A process paused in the middle of a step keeps the file locked. */
    @Override
    boolean keepsStore() {
        return isWritten("jdbc:" + rig.store());
    }

    private static boolean isWritten(String file) {
        try (Connection connection = connect(file);
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
            return false;
        } catch (SQLException busy) {
            return String.valueOf(busy.getMessage()).contains("SQLITE_BUSY");
        }
    }

    @Override
    void resume() throws SQLException {
        try (Connection connection = connect();
                Statement statement = connection.createStatement()) {
            statement.execute("DROP TRIGGER stall");
            connection.commit();
        }
    }

    private Connection connect() throws SQLException {
        return connect(rig.database());
    }

    private static Connection connect(String file) throws SQLException {
        Connection connection = DriverManager.getConnection(file + "?busy_timeout=0&transaction_mode=IMMEDIATE");
        connection.setAutoCommit(false);
        return connection;
    }
}
