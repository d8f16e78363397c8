package io.interlock.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Map;

/**
 * A real MariaDB server that can be killed, stopped, halted and copied, with the settings that an Interlock store
 * requires. It needs an installed MariaDB: check {@link #isAvailable} first. It ends with the JVM. Not thread-safe.
 */
public final class MariaDbServer implements AutoCloseable {

    /** Settings with which nothing acknowledged is lost. */
    public static final Map<String, String> DURABLE =
            Map.of("innodb_flush_log_at_trx_commit", "1", "innodb_doublewrite", "1");

    /** The initial database. */
    public static final String DATABASE = "interlock";

    private static final int PORTS_TO_TRY = 3;

    private final MariaDbProcess process;
    private final int port;

    private MariaDbServer(MariaDbProcess process) throws IOException {
        this.process = process;
        this.port = launch(process);
    }

    /** Whether the programs are installed; Debian's package is {@code mariadb-server}. */
    public static boolean isAvailable() {
        return MariaDbFiles.program("mariadbd").isPresent()
                && MariaDbFiles.program("mariadb-install-db").isPresent();
    }

    /** The server that most tests share, each with its own database; it ends with the JVM. */
    public static MariaDbServer shared() {
        return Shared.SERVER;
    }

    /** Starts a server with these settings. */
    public static MariaDbServer start(Map<String, String> settings) {
        try {
            MariaDbServer started = new MariaDbServer(new MariaDbProcess(MariaDbFiles.fresh(), settings));
            started.executeIn("", "CREATE DATABASE " + DATABASE);
            return started;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Its port on 127.0.0.1. */
    public int port() {
        return port;
    }

    /** A URL as the superuser. */
    public String url() {
        return url("");
    }

    /** A URL as the superuser, with options as in {@code prefix=a&timeout=1s}. */
    public String url(String options) {
        return "mariadb://root@127.0.0.1:" + port + "/" + DATABASE + (options.isEmpty() ? "" : "?" + options);
    }

    /** A URL for the driver, without a user. The server has no certificate, which the driver would require. */
    public String jdbcUrl(String database) {
        return jdbcUrl(port, database);
    }

    /** A plain connection as the superuser. */
    public Connection connect() throws SQLException {
        return connect("root", DATABASE);
    }

    /** A plain connection. */
    public Connection connect(String user, String database) throws SQLException {
        return DriverManager.getConnection(jdbcUrl(database), user, "");
    }

    /** Runs statements as the superuser. */
    public void execute(String... statements) {
        executeIn(DATABASE, statements);
    }

    /** The only value of a query, as text. */
    public String ask(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            rows.next();
            return String.valueOf(rows.getString(1));
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Kills and restarts it with all acknowledged data. */
    public void crash() {
        die();
        startAgain();
    }

    /** Kills it by SIGKILL. */
    public void die() {
        process.kill();
    }

    /** Stops it gracefully. */
    public void stop() {
        process.stop();
    }

    /** Starts it after a stop, on the same port. */
    public void startAgain() {
        process.launch(port);
        if (!awaitReady(process, port)) {
            throw new IllegalStateException("MariaDB does not start again: " + process.said());
        }
    }

    /** Halts the whole server; connections stay open without answers. */
    public void pause() {
        process.pause();
    }

    /** Continues it after a pause. */
    public void resume() {
        process.resume();
    }

    /** Copies the files of a stopped server. */
    public Path copyFiles() {
        try {
            Path copy = Files.createTempDirectory("interlock-mariadb-copy");
            ServerTemplate.copy(data(), copy);
            return copy;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Replaces the files of a stopped server. */
    public void replaceFiles(Path copy) {
        Commands.run(List.of("find", data().toString(), "-mindepth", "1", "-delete"));
        ServerTemplate.copy(copy, data());
        Commands.run(List.of("rm", "-r", copy.toString()));
    }

    /** Its data directory. */
    public Path data() {
        return process.data();
    }

    /** Kills it in any state, and deletes its files. */
    @Override
    public void close() {
        process.close();
    }

    private void executeIn(String database, String... statements) {
        try (Connection connection = connect("root", database);
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    /** Between the choice of a port and its use, another process may take it. */
    private static int launch(MariaDbProcess process) throws IOException {
        for (int tries = 1; ; tries++) {
            int port = LoopbackPort.free();
            process.launch(port);
            if (awaitReady(process, port)) {
                return port;
            } else if (tries == PORTS_TO_TRY) {
                String said = process.said();
                process.close();
                throw new IllegalStateException("MariaDB does not start: " + said);
            }
            process.kill();
        }
    }

    /** Waits until it accepts clients; false if it has ended or takes too long. */
    private static boolean awaitReady(MariaDbProcess process, int port) {
        for (int tries = 0; tries < MariaDbProcess.PATIENCE_SECONDS * 50; tries++) {
            try (Connection connection = DriverManager.getConnection(jdbcUrl(port, ""), "root", "")) {
                return connection.isValid(1) && process.listens();
            } catch (SQLException notYet) {
                if (process.endsSoon()) {
                    return false;
                }
            }
        }
        return false;
    }

    private static String jdbcUrl(int port, String database) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/" + database + "?sslMode=disable";
    }

    private static final class Shared {
        static final MariaDbServer SERVER = start(DURABLE);
    }
}
