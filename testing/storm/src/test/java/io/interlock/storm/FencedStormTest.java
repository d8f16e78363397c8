package io.interlock.storm;

import static org.assertj.core.api.Assertions.assertThat;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.StaleTokenException;
import io.interlock.locks.fencing.FencingGate;
import io.interlock.servers.MariaDbServer;
import io.interlock.servers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Many holders of one key write at once, as if all but the last had slept through the end of their leases. Each reads a number and
 * writes the next one, behind the fencing gate: as many updates must be there as were committed.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FencedStormTest {

    private static final int HOLDERS = 4;
    private static final int ROUNDS = 20;
    private static final LockKey KEY = LockKey.of("ledger/4711");
    private static final String PAGE = page();
    private static final Pattern BLOCK =
            Pattern.compile("(?ms)^<!-- run by: FencedStormTest -->\n```sql\n(.*?);\n```$");
    private static final Set<String> TABLES = Set.of("storm_counter", "interlock_fence");

    @FunctionalInterface
    private interface Database {
        Connection connect() throws SQLException;
    }

    @Test
    void losesNothingOnPostgres() throws Exception {
        losesNothing(PostgresServer.shared()::connect);
    }

    @Test
    void losesNothingOnMariaDb() throws Exception {
        Assumptions.assumeTrue(MariaDbServer.isAvailable(), "no MariaDB");
        losesNothing(MariaDbServer.shared()::connect);
    }

    @Test
    void losesNothingOnSqlite(@TempDir Path folder) throws Exception {
        losesNothing(
                () -> DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("storm.db") + "?busy_timeout=30000"));
    }

    @Test
    void losesNothingOnH2(@TempDir Path folder) throws Exception {
        losesNothing(() -> DriverManager.getConnection("jdbc:h2:" + folder.resolve("storm") + ";LOCK_TIMEOUT=30000"));
    }

    @Test
    void keysThatLookAlikeHaveTheirOwnBars(@TempDir Path folder) throws Exception {
        List<Database> databases = new ArrayList<>(List.of(
                PostgresServer.shared()::connect,
                () -> DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("keys.db")),
                () -> DriverManager.getConnection("jdbc:h2:mem:keys;DB_CLOSE_DELAY=-1")));
        if (MariaDbServer.isAvailable()) {
            databases.add(MariaDbServer.shared()::connect);
        }
        for (Database database : databases) {
            try (Connection connection = database.connect()) {
                clear(connection);
                FencingGate gate = new FencingGate();
                connection.setAutoCommit(false);
                gate.pass(connection, LockKey.of("a"), new FencingToken(9));
                gate.pass(connection, LockKey.of("A"), new FencingToken(1));
                gate.pass(connection, LockKey.of("a "), new FencingToken(1));
                gate.pass(connection, LockKey.of("ä"), new FencingToken(1));
                connection.rollback();
            }
        }
    }

    private static void losesNothing(Database database) throws Exception {
        try (Connection connection = database.connect()) {
            clear(connection);
            run(connection, "CREATE TABLE storm_counter (n INTEGER)");
            run(connection, "INSERT INTO storm_counter VALUES (0)");
        }
        AtomicLong tokens = new AtomicLong();
        AtomicInteger committed = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        List<CompletableFuture<Void>> holders = new ArrayList<>();
        for (int i = 0; i < HOLDERS; i++) {
            holders.add(CompletableFuture.runAsync(() -> hold(database, tokens, committed, refused)));
        }
        for (CompletableFuture<Void> holder : holders) {
            holder.get(100, TimeUnit.SECONDS);
        }
        try (Connection connection = database.connect()) {
            assertThat(read(connection)).isEqualTo(committed.get());
        }
        assertThat(committed).hasPositiveValue();
        assertThat(refused).hasPositiveValue();
    }

    private static void hold(Database database, AtomicLong tokens, AtomicInteger committed, AtomicInteger refused) {
        FencingGate gate = new FencingGate();
        try (Connection connection = database.connect()) {
            connection.setAutoCommit(false);
            for (int round = 0; round < ROUNDS; round++) {
                // A new holder; the tokens before it are stale once it has passed. Each is used twice.
                FencingToken token = new FencingToken(tokens.incrementAndGet());
                for (int write = 0; write < 2; write++) {
                    try {
                        gate.pass(connection, KEY, token);
                        run(connection, "UPDATE storm_counter SET n = " + (read(connection) + 1));
                        connection.commit();
                        committed.incrementAndGet();
                    } catch (StaleTokenException late) {
                        connection.rollback();
                        refused.incrementAndGet();
                    } catch (SQLException conflict) {
                        connection.rollback();
                    }
                }
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    private static void clear(Connection connection) throws SQLException {
        for (String table : TABLES) {
            run(connection, "DROP TABLE IF EXISTS " + table);
        }
        run(connection, table(connection.getMetaData().getDatabaseProductName()));
    }

    /** The statement for a database on the page that tells users to run it. */
    private static String table(String database) {
        List<MatchResult> tables = BLOCK.matcher(PAGE).results().toList();
        assertThat(tables).hasSize(2);
        return tables.get(database.equals("MariaDB") ? 1 : 0).group(1);
    }

    private static String page() {
        try {
            return Files.readString(Path.of("../../docs/spring.md"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static int read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT n FROM storm_counter")) {
            return row.next() ? row.getInt(1) : -1;
        }
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
