package io.interlock.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The operations of the server that tests of a store use. Skipped with a warning if MariaDB is not installed. */
class MariaDbServerTest {

    private static final Logger log = LoggerFactory.getLogger(MariaDbServerTest.class);

    @BeforeAll
    static void isInstalled() {
        if (!MariaDbServer.isAvailable()) {
            log.warn("no MariaDB: it is not tested; install the package mariadb-server");
        }
        Assumptions.assumeTrue(MariaDbServer.isAvailable(), "no MariaDB; install the package mariadb-server");
    }

    @Test
    void whatWasAcknowledgedSurvivesAKill() throws SQLException {
        try (MariaDbServer server = MariaDbServer.start(MariaDbServer.DURABLE)) {
            server.execute(
                    "CREATE TABLE note (id INT PRIMARY KEY, text VARCHAR(100))", "INSERT INTO note VALUES (1, 'a')");
            try (Connection open = server.connect()) {
                open.setAutoCommit(false);
                open.createStatement().execute("INSERT INTO note VALUES (2, 'not committed')");
                int port = server.port();
                server.die();
                assertThatThrownBy(server::connect).isInstanceOf(SQLException.class);
                server.startAgain();
                assertThat(server.port()).isEqualTo(port);
            }
            assertThat(server.ask("SELECT group_concat(text) FROM note")).isEqualTo("a");
            server.stop();
            server.startAgain();
            server.crash();
            assertThat(server.ask("SELECT group_concat(text) FROM note")).isEqualTo("a");
        }
    }

    @Test
    void aPausedServerIsSilentUntilItGoesOn() throws SQLException {
        try (MariaDbServer server = MariaDbServer.start(MariaDbServer.DURABLE)) {
            server.pause();
            String impatient = server.jdbcUrl(MariaDbServer.DATABASE) + "&connectTimeout=200&socketTimeout=200";
            assertThatThrownBy(() -> DriverManager.getConnection(impatient, "root", ""))
                    .isInstanceOf(SQLException.class);
            server.resume();
            assertThat(server.ask("SELECT 1")).isEqualTo("1");
            // A paused server can be closed.
            server.pause();
        }
    }

    @Test
    void settingsAreThoseAskedForAndFilesEndWithIt() {
        Path data;
        try (MariaDbServer server = MariaDbServer.start(Map.of("innodb_flush_log_at_trx_commit", "2"));
                MariaDbServer durable = MariaDbServer.start(MariaDbServer.DURABLE)) {
            assertThat(server.ask("SELECT @@innodb_flush_log_at_trx_commit")).isEqualTo("2");
            assertThat(durable.ask("SELECT @@innodb_flush_log_at_trx_commit")).isEqualTo("1");
            assertThat(durable.ask("SELECT @@log_bin")).isEqualTo("0");
            data = server.data();
            assertThat(data).isDirectory();
        }
        assertThat(Files.exists(data)).isFalse();
    }

    @Test
    void anOlderStateCanBeBroughtBack() {
        try (MariaDbServer server = MariaDbServer.start(MariaDbServer.DURABLE)) {
            server.execute("CREATE TABLE note (id INT PRIMARY KEY)");
            server.stop();
            Path copy = server.copyFiles();
            server.startAgain();
            server.execute("INSERT INTO note VALUES (1)");
            server.stop();
            server.replaceFiles(copy);
            server.startAgain();
            assertThat(server.ask("SELECT count(*) FROM note")).isEqualTo("0");
        }
    }

    @Test
    void aServerThatCannotStartSaysWhy() {
        assertThatThrownBy(() -> MariaDbServer.start(Map.of("innodb_page_size", "5")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("MariaDB does not start")
                .hasMessageContaining("innodb_page_size");
    }
}
