package io.interlock.benchmark.server;

import io.interlock.benchmark.measure.DatabaseCounters;
import io.interlock.servers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/**
 * A PostgreSQL that is on disk with everything it acknowledged, with one database for each contender. Its settings are the
 * defaults, except that checkpoints are made by the benchmark, so that none falls into a measurement.
 */
public final class PostgresUnderTest implements DatabaseCounters, AutoCloseable {

    /** What differs from the defaults of PostgreSQL, or must not. */
    public static final Map<String, String> SETTINGS = Map.of(
            "fsync", "on",
            "synchronous_commit", "on",
            "full_page_writes", "on",
            "autovacuum", "on",
            "max_connections", "500",
            "checkpoint_timeout", "1h",
            "max_wal_size", "16GB");

    private static final Duration SESSIONS_END = Duration.ofSeconds(10);

    private final PostgresServer server;
    private final long process;
    private final Connection connection;
    private final AtomicInteger databases = new AtomicInteger();

    private PostgresUnderTest(PostgresServer server) throws SQLException {
        this.server = server;
        this.connection = server.connect();
        try (Stream<String> lines = Files.lines(server.data().resolve("postmaster.pid"))) {
            this.process = Long.parseLong(lines.findFirst().orElseThrow().strip());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Starts it. */
    public static PostgresUnderTest start() throws IOException, SQLException {
        // On disk: what a commit costs is part of the comparison.
        return new PostgresUnderTest(
                PostgresServer.start(SETTINGS, Files.createTempDirectory("interlock-benchmark-pg")));
    }

    /** Where it listens. */
    public int port() {
        return server.port();
    }

    /** Makes an empty database. */
    public PostgresAddress newDatabase(String name) {
        String unique = name.replaceAll("[^a-z0-9]+", "_") + "_" + databases.incrementAndGet();
        execute("CREATE DATABASE " + unique);
        return new PostgresAddress(server.port(), unique);
    }

    /** Drops a database, whatever is still connected to it. */
    public void drop(PostgresAddress address) {
        execute("DROP DATABASE IF EXISTS " + address.database() + " WITH (FORCE)");
    }

    /**
     * How many of a database's updates touched no index, in percent; empty if there were none. Sessions report what they did
     * when they end, so it waits for that, up to a limit.
     */
    public OptionalDouble hotPercent(PostgresAddress address) throws SQLException, InterruptedException {
        long until = System.nanoTime() + SESSIONS_END.toNanos();
        while (number("SELECT count(*) FROM pg_stat_activity WHERE datname = '" + address.database() + "'") > 0
                && System.nanoTime() < until) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
        try (Connection other =
                        DriverManager.getConnection(new PostgresAddress(server.port(), address.database()).jdbcUrl());
                Statement statement = other.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT coalesce(sum(n_tup_upd), 0), coalesce(sum(n_tup_hot_upd), 0) FROM pg_stat_user_tables")) {
            row.next();
            long updates = row.getLong(1);
            return updates == 0 ? OptionalDouble.empty() : OptionalDouble.of(100.0 * row.getLong(2) / updates);
        }
    }

    /** What it calls itself. */
    public String version() {
        return server.ask("SHOW server_version");
    }

    @Override
    public long process() {
        return process;
    }

    @Override
    public synchronized Counts read() {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn,"
                        + " pg_snapshot_xmax(pg_current_snapshot())::text::bigint")) {
            row.next();
            return new Counts(row.getLong(1), row.getLong(2));
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public void checkpoint() {
        execute("CHECKPOINT");
    }

    /** Vacuums and analyses a database. */
    public void vacuum(PostgresAddress address) throws SQLException {
        try (Connection other = DriverManager.getConnection(address.jdbcUrl());
                Statement statement = other.createStatement()) {
            statement.execute("VACUUM (ANALYZE)");
        }
    }

    @Override
    public void close() {
        server.close();
    }

    private synchronized void execute(String sql) {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException failure) {
            throw new IllegalStateException(sql + " failed", failure);
        }
    }

    private synchronized long number(String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
