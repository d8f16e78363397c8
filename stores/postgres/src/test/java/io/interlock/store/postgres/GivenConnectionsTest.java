package io.interlock.store.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.interlock.InvalidSettingException;
import io.interlock.LeaseRecord;
import io.interlock.servers.PostgresServer;
import io.interlock.store.sql.AttachingDataSource;
import io.interlock.store.sql.Dialect.SqlFailure;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.SqlStore;
import io.interlock.store.sql.TableNames;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections of the application come back as they were, and their transactions are left alone. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class GivenConnectionsTest {

    private final PostgresHarness harness = new PostgresHarness();
    private final PostgresServer server = harness.server();
    private final String mine = harness.schema() + ".mine";
    private OneConnection given = new OneConnection(server);

    @BeforeEach
    void reset() {
        harness.reset();
        server.execute("DROP TABLE IF EXISTS " + mine, "CREATE TABLE " + mine + " (n integer)");
        given = new OneConnection(server);
    }

    @AfterEach
    void closeConnection() throws SQLException {
        given.real().close();
    }

    @AfterAll
    void close() {
        harness.close();
    }

    @Test
    void aBorrowedConnectionComesBackAsItWas() throws Exception {
        Connection real = given.real();
        real.setNetworkTimeout(Runnable::run, 77_000);
        real.setAutoCommit(false);
        String settings = settings(real);
        try (SqlStore store = open()) {
            assertThat(real.getNetworkTimeout()).as("after opening").isEqualTo(77_000);
            assertThat(real.getAutoCommit()).as("after opening").isFalse();
            LeaseRecord lease = Bench.take(store, "k");
            Bench.renew(store, lease);
            Bench.release(store, lease);
            store.sweep(10);
        }
        assertThat(real.getNetworkTimeout()).isEqualTo(77_000);
        assertThat(real.getAutoCommit()).isFalse();
        assertThat(settings(real)).isEqualTo(settings);
    }

    @Test
    void aTransactionOfTheCallersIsNeitherUsedNorEnded() throws Exception {
        try (SqlStore store = open()) {
            Connection real = given.real();
            real.setAutoCommit(false);
            RowWait.execute(real, "INSERT INTO " + mine + " VALUES (1)");
            assertThatThrownBy(() -> Bench.take(store, "k"))
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining("open transaction")
                    .hasMessageContaining("transaction-aware");
            real.rollback();
            assertThat(server.ask("SELECT count(*) FROM " + mine))
                    .as("what the caller rolled back")
                    .isEqualTo("0");
            Bench.take(store, "k");
        }
    }

    @Test
    void aNewConnectionIsCheckedAndItsSessionLeftAsItIs() throws Exception {
        // Behind a pooler in transaction mode the session belongs to others in the next moment.
        ServerSettings settings = new ServerSettings(
                "test",
                new TableNames(harness.schema(), TableNames.DEFAULT_PREFIX),
                SchemaMode.NONE,
                ServerSettings.DEFAULT_MAX_LEASE,
                ServerSettings.DEFAULT_TIMEOUT);
        given.real().setAutoCommit(false);
        String before = settings(given.real());
        given.real().setAutoCommit(true);
        PostgresDialect dialect = new PostgresDialect(settings.names());
        new AttachingDataSource(given, new PostgresAttachment(settings, dialect), Environment.system())
                .getConnection()
                .close();
        given.real().setAutoCommit(false);
        assertThat(settings(given.real())).isEqualTo(before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"57P01", "57P05", "08006", "08003"})
    void aSessionThatTheServerEndedIsReplaced(String state) {
        PostgresDialect dialect = new PostgresDialect(new TableNames("public", TableNames.DEFAULT_PREFIX));
        assertThat(dialect.failureOf(new SQLException("ended", state))).isEqualTo(SqlFailure.BROKEN);
    }

    private static String settings(Connection connection) throws SQLException {
        String settings = RowWait.value(
                connection,
                "SELECT string_agg(name || '=' || setting, ',' ORDER BY name)"
                        + " FROM pg_settings WHERE source IN ('session', 'client')");
        connection.rollback();
        return settings;
    }

    private SqlStore open() {
        return PostgresStore.on(given, harness.schema(), "interlock_", SchemaMode.APPLY, Environment.system());
    }
}
