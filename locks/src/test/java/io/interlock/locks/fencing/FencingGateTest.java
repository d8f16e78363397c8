package io.interlock.locks.fencing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StaleTokenException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FencingGateTest {

    private static final LockKey KEY = LockKey.of("ledger/4711");

    private final FencingGate gate = new FencingGate();

    private Connection old;
    private Connection young;

    @BeforeEach
    void createTables(@TempDir Path folder) throws SQLException {
        old = open(folder);
        young = open(folder);
        FencingGate.createTable(old);
        FencingGate.createTable(old);
        try (Statement statement = old.createStatement()) {
            statement.execute("CREATE TABLE counter (n INTEGER)");
            statement.execute("INSERT INTO counter VALUES (0)");
        }
        old.setAutoCommit(false);
        young.setAutoCommit(false);
    }

    @AfterEach
    void closeConnections() throws SQLException {
        old.close();
        young.close();
    }

    @Test
    void letsRisingTokensAndTheSameOneAgainPass() throws SQLException {
        gate.pass(old, KEY, new FencingToken(5));
        gate.pass(old, KEY, new FencingToken(5));
        old.commit();
        gate.pass(young, KEY, new FencingToken(6));
        young.commit();
    }

    @Test
    void refusesATokenSmallerThanOneItHasMet() throws SQLException {
        gate.pass(young, KEY, new FencingToken(6));
        young.commit();
        assertThatThrownBy(() -> gate.pass(old, KEY, new FencingToken(5)))
                .isInstanceOfSatisfying(StaleTokenException.class, stale -> {
                    assertThat(stale.presented()).isEqualTo(new FencingToken(5));
                    assertThat(stale.met()).isEqualTo(new FencingToken(6));
                });
        gate.pass(old, LockKey.of("ledger/other"), new FencingToken(1));
    }

    @Test
    void losesNoUpdateOfAHolderThatWokeUpLate() throws SQLException {
        gate.pass(old, KEY, new FencingToken(5));
        int stale = read(old);
        old.rollback();
        // The old holder sleeps on what it has read; the young one takes over.
        gate.pass(young, KEY, new FencingToken(6));
        write(young, read(young) + 1);
        young.commit();
        assertThatThrownBy(() -> {
                    gate.pass(old, KEY, new FencingToken(5));
                    write(old, stale + 1);
                })
                .isInstanceOf(StaleTokenException.class);
        old.rollback();
        assertThat(read(young)).isEqualTo(1);
    }

    @Test
    void keepsOthersOutUntilTheTransactionEnds() throws SQLException {
        gate.pass(old, KEY, new FencingToken(5));
        assertThatThrownBy(() -> gate.pass(young, KEY, new FencingToken(6))).isInstanceOf(SQLException.class);
        old.commit();
        young.rollback();
        gate.pass(young, KEY, new FencingToken(6));
    }

    @Test
    void aBarRaisedInATransactionThatRolledBackIsNotRaised() throws SQLException {
        gate.pass(young, KEY, new FencingToken(6));
        young.rollback();
        gate.pass(old, KEY, new FencingToken(5));
    }

    @Test
    void refusesAConnectionThatWouldCommitAtTheGate() throws SQLException {
        old.setAutoCommit(true);
        assertThatThrownBy(() -> gate.pass(old, KEY, new FencingToken(5)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("setAutoCommit(false)");
    }

    private static Connection open(Path folder) throws SQLException {
        return DriverManager.getConnection("jdbc:sqlite:" + folder.resolve("data.db") + "?busy_timeout=50");
    }

    private static int read(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT n FROM counter")) {
            return row.next() ? row.getInt(1) : -1;
        }
    }

    private static void write(Connection connection, int value) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("UPDATE counter SET n = " + value);
        }
    }
}
