package io.interlock.example.ingestion;

import io.interlock.servers.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Events in PostgreSQL. */
class PostgresIngestionCrashTest extends IngestionCrashContract {

    private static final String NAME = "crash";
    private @Nullable Connection holder;

    @Override
    Place place(Path folder) {
        return Place.postgres(NAME);
    }

    /** The inserts of laps wait for a lock of this test. */
    @Override
    void stall() throws SQLException {
        Connection holding = PostgresServer.shared().connect("postgres", NAME);
        holder = holding;
        try (Statement statement = holding.createStatement()) {
            statement.execute("SELECT pg_advisory_lock(42)");
            statement.execute("""
                    CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$
                    BEGIN
                      IF NEW.race = 3 AND NEW.lap = 4 THEN PERFORM pg_advisory_xact_lock(42); END IF;
                      RETURN NEW;
                    END $$""");
            statement.execute("CREATE TRIGGER stall BEFORE INSERT ON lap FOR EACH ROW EXECUTE FUNCTION stall()");
        }
    }

    @Override
    boolean stalled() {
        return PostgresServer.shared()
                .ask("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND objid = 42 AND NOT granted")
                .equals("1");
    }

    @Override
    void resume() throws SQLException {
        if (holder != null) {
            try (Statement statement = holder.createStatement()) {
                statement.execute("SELECT pg_advisory_unlock(42)");
                statement.execute("DROP TRIGGER stall ON lap");
            }
            holder.close();
        }
    }

    /** Every step is one statement, which the database completes. */
    @Override
    boolean keepsStore() {
        return false;
    }
}
