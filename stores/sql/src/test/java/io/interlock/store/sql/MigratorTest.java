package io.interlock.store.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.UnsafeStoreException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MigratorTest {

    private static final Migration.Words WORDS =
            new Migration.Words("sqlite", Map.of("number", "INTEGER", "default", "DEFAULT %s"));
    private static final List<Migration> BOTH = List.of(
            Migration.read(MigratorTest.class, WORDS, 1, "thing"),
            Migration.read(MigratorTest.class, WORDS, 2, "other"));
    private static final List<Migration> FIRST = BOTH.subList(0, 1);
    private static final TableNames NAMES = new TableNames("main", "il_");

    @TempDir
    Path folder;

    private Connection connection;

    @BeforeEach
    void open() throws SQLException {
        connection = connect();
    }

    @AfterEach
    void close() throws SQLException {
        connection.close();
    }

    @Test
    void appliesWhatIsPendingAndNotesIt() throws SQLException {
        migrate(FIRST, SchemaMode.APPLY);
        migrate(BOTH, SchemaMode.APPLY);

        assertThat(number("SELECT id FROM il_other")).isEqualTo(7);
        assertThat(number("SELECT count(*) FROM il_migration WHERE applied_at = '2026-01-02T03:04:05Z'"))
                .isEqualTo(2);
    }

    @Test
    void takesNoLockWhenNothingIsPending() throws SQLException {
        migrate(BOTH, SchemaMode.APPLY);

        migrator(BOTH).run(SchemaMode.APPLY, connection, (c, work) -> {
            throw new AssertionError("locked for nothing");
        });
    }

    @Test
    void anotherPrefixIsAnotherSchema() throws SQLException {
        migrate(BOTH, SchemaMode.APPLY);
        // To JDBC the underscore of il_migration is a wildcard, which this name would match.
        new Migrator("test", new TableNames("main", "ilx"), FIRST, clock())
                .run(SchemaMode.APPLY, connection, this::alone);

        assertThat(number("SELECT count(*) FROM ilxmigration")).isEqualTo(1);
        assertThatThrownBy(() -> new Migrator("test", new TableNames("main", "i__"), FIRST, clock())
                        .run(SchemaMode.VALIDATE, connection, this::alone))
                .isInstanceOf(UnsafeStoreException.class);
    }

    @Test
    void refusesASchemaNewerThanTheProgram() throws SQLException {
        migrate(BOTH, SchemaMode.APPLY);

        assertThatThrownBy(() -> migrate(FIRST, SchemaMode.APPLY))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("version 2")
                .hasMessageContaining("knows 1")
                .hasMessageContaining("newer program");
        assertThatThrownBy(() -> migrate(FIRST, SchemaMode.VALIDATE)).isInstanceOf(UnsafeStoreException.class);
        assertThat(number("SELECT count(*) FROM il_migration")).isEqualTo(2);
    }

    @Test
    void refusesAStepThatWasEdited() throws SQLException {
        migrate(FIRST, SchemaMode.APPLY);
        Migration edited = new Migration(1, "thing", FIRST.get(0).sql() + "-- one word more");

        assertThatThrownBy(() -> migrate(List.of(edited, BOTH.get(1)), SchemaMode.APPLY))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("001_thing")
                .hasMessageContaining(edited.checksum());
        assertThat(number("SELECT count(*) FROM il_migration")).isEqualTo(1);
    }

    @Test
    void validateNamesWhatIsMissingAndChangesNothing() throws SQLException {
        assertThatThrownBy(() -> migrate(BOTH, SchemaMode.VALIDATE))
                .isInstanceOf(UnsafeStoreException.class)
                .hasMessageContaining("[001_thing, 002_other]")
                .hasMessageContaining("migrate=apply");
        assertThat(number("SELECT count(*) FROM sqlite_schema")).isZero();

        migrate(BOTH, SchemaMode.APPLY);
        migrate(BOTH, SchemaMode.VALIDATE);
    }

    @Test
    void noneDoesNotLook() throws SQLException {
        migrate(BOTH, SchemaMode.NONE);
        assertThat(number("SELECT count(*) FROM sqlite_schema")).isZero();
    }

    @Test
    void aStepThatFailsLeavesNothing() throws SQLException {
        Migration broken = new Migration(2, "broken", "CREATE TABLE ${prefix}half (id integer);\nSELECT nonsense");

        assertThatThrownBy(() -> migrate(List.of(FIRST.get(0), broken), SchemaMode.APPLY))
                .isInstanceOf(SQLException.class);
        assertThat(number("SELECT count(*) FROM sqlite_schema")).isZero();
    }

    @Test
    void manyStartAtOnce() throws Exception {
        int starts = 8;
        CyclicBarrier together = new CyclicBarrier(starts);
        ExecutorService pool = Executors.newFixedThreadPool(starts);
        try {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < starts; i++) {
                results.add(pool.submit(() -> {
                    try (Connection own = connect()) {
                        together.await();
                        migrator(BOTH).run(SchemaMode.APPLY, own, this::alone);
                    }
                    return true;
                }));
            }
            for (Future<?> result : results) {
                result.get();
            }
        } finally {
            pool.shutdown();
        }
        assertThat(number("SELECT count(*) FROM il_other")).isEqualTo(1);
    }

    @Test
    void checksumsDoNotDependOnLineEndings() {
        Migration windows = new Migration(1, "thing", FIRST.get(0).sql().replace("\n", "\r\n"));
        assertThat(windows.checksum()).isEqualTo(FIRST.get(0).checksum());
    }

    @Test
    void aFileIsWrittenInTheWordsOfItsDatabase() {
        assertThat(BOTH.get(1).sql()).contains("id INTEGER DEFAULT 7").doesNotContain("another database");
        Migration.Words few = new Migration.Words("sqlite", Map.of("number", "bigint"));
        assertThatThrownBy(() -> Migration.read(MigratorTest.class, few, 2, "other"))
                .hasMessage("sqlite has no text for ${default}");
    }

    private void migrate(List<Migration> migrations, SchemaMode mode) throws SQLException {
        migrator(migrations).run(mode, connection, this::alone);
    }

    private static Migrator migrator(List<Migration> migrations) {
        return new Migrator("test", NAMES, migrations, clock());
    }

    private static InstantSource clock() {
        return InstantSource.fixed(Instant.parse("2026-01-02T03:04:05Z"));
    }

    private Connection connect() throws SQLException {
        Connection opened = DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("test.db"));
        try (Statement statement = opened.createStatement()) {
            statement.execute("PRAGMA busy_timeout = 10000");
        }
        return opened;
    }

    private void alone(Connection target, Migrator.Work work) throws SQLException {
        try (Statement statement = target.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            try {
                work.run();
                statement.execute("COMMIT");
            } catch (SQLException | RuntimeException failure) {
                statement.execute("ROLLBACK");
                throw failure;
            }
        }
    }

    private long number(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getLong(1) : -1;
        }
    }
}
