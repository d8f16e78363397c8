package io.interlock.store.postgres;

import static org.awaitility.Awaitility.await;

import io.interlock.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * A scheduled interleaving: a session holds a row, a call runs into it and waits, something happens meanwhile, the row is
 * let go, the call goes on. Nothing sleeps; the wait is seen in the server's own list of who blocks whom.
 *
 * @param answer what the call returned
 * @param letGo the server's clock just before the row was let go
 */
record RowWait<T>(T answer, Instant letGo) {

    interface Meanwhile {

        /** Happens in the session that holds the row, while the call waits. */
        void happens(Connection holder) throws Exception;
    }

    static <T> RowWait<T> during(PostgresServer server, String locking, Callable<T> call) throws Exception {
        return during(server, locking, call, holder -> {});
    }

    static <T> RowWait<T> during(PostgresServer server, String locking, Callable<T> call, Meanwhile meanwhile)
            throws Exception {
        try (Connection holder = server.connect()) {
            holder.setAutoCommit(false);
            execute(holder, locking);
            int pid = Integer.parseInt(value(holder, "SELECT pg_backend_pid()"));
            CompletableFuture<T> answer = CompletableFuture.supplyAsync(() -> {
                try {
                    return call.call();
                } catch (Exception failure) {
                    throw new IllegalStateException(failure);
                }
            });
            awaitBlockedBy(server, pid);
            meanwhile.happens(holder);
            Instant letGo = clock(holder);
            holder.commit();
            return new RowWait<>(answer.get(20, TimeUnit.SECONDS), letGo);
        }
    }

    static void awaitBlockedBy(PostgresServer server, int pid) {
        await().pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofSeconds(10))
                .until(() -> server.ask("SELECT count(*) FROM pg_stat_activity WHERE " + pid
                                + " = ANY (pg_blocking_pids(pid)) AND wait_event_type = 'Lock'")
                        .equals("1"));
    }

    /** Waits until the server's clock is past {@code moment}, given in SQL. */
    static void awaitClockPast(PostgresServer server, String moment) {
        await().pollInterval(Duration.ofMillis(5))
                .atMost(Duration.ofSeconds(10))
                .until(() -> server.ask("SELECT clock_timestamp() > (" + moment + ")")
                        .equals("t"));
    }

    static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    static String value(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? String.valueOf(row.getString(1)) : "no row";
        }
    }

    static Instant clock(Connection connection) throws SQLException {
        return instant(connection, "SELECT clock_timestamp()");
    }

    static Instant instant(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getObject(1, OffsetDateTime.class).toInstant();
        }
    }
}
