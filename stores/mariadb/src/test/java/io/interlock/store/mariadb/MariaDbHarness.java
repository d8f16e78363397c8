package io.interlock.store.mariadb;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.interlock.servers.MariaDbServer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import io.interlock.tck.RunStoreHarness;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/** Tables of its own in the shared server. Its time goes on by moving the store's clock. */
public final class MariaDbHarness implements RunStoreHarness {

    /** All but those with the row of the store and of the latch. */
    private static final List<String> TABLES = List.of(
            "lease",
            "run",
            "run_label",
            "open_run",
            "tenant_place",
            "failed_run",
            "attempt",
            "idempotency",
            "pause",
            "audit",
            "seal",
            "seal_anchor",
            "output",
            "refusal_count",
            "run_period",
            "worker",
            "bookmark",
            "access_key",
            "sign_in",
            "flushed");

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final MariaDbServer server = MariaDbServer.shared();
    private final String prefix = "t" + COUNT.incrementAndGet() + "_";

    private MariaDbHarness() {
        open(Environment.system()).close();
    }

    /** An empty store; the test is skipped if no MariaDB is installed. */
    public static MariaDbHarness create() {
        assumeTrue(MariaDbServer.isAvailable(), "MariaDB is not installed (Debian: mariadb-server)");
        return new MariaDbHarness();
    }

    MariaDbServer server() {
        return server;
    }

    /** The full name of one of the tables. */
    String table(String name) {
        return prefix + name;
    }

    String url(String options) {
        return server.url("prefix=" + prefix + (options.isEmpty() ? "" : "&" + options));
    }

    @Override
    public RunStore open(Environment environment) {
        return (RunStore) Stores.open(url(""), environment);
    }

    @Override
    public void advance(Duration time) {
        server.execute("UPDATE " + table("store") + " SET clock_offset = clock_offset + " + time.toNanos() / 1000);
    }

    @Override
    public boolean setClockBack(Duration by) {
        advance(by.negated());
        return true;
    }

    @Override
    public void reset() {
        // All of it in one transaction, which waits for the disk once: every test begins with this.
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            for (String name : TABLES) {
                statement.execute("DELETE FROM " + table(name));
            }
            statement.execute("UPDATE " + table("store")
                    + " SET epoch = 0, quiet_until = 0, token_floor = 0, last_heard = 0, heard_since = 0");
            connection.commit();
        } catch (SQLException failure) {
            throw new IllegalStateException(failure);
        }
    }

    @Override
    public Optional<String> url() {
        return Optional.of(url(""));
    }

    @Override
    public boolean crash() {
        server.crash();
        return true;
    }

    /** A replica that was behind by everything takes over. */
    @Override
    public boolean loseData() {
        server.execute(
                "DELETE FROM " + table("lease"),
                "UPDATE " + table("store") + " SET server = 'another', token_floor = 0");
        return true;
    }

    /**
     * Rows that were written to tables, whichever store wrote them, without those that only make last what was seen: one for
     * the first of them in a row, two for each further one.
     */
    @Override
    public OptionalLong writes() {
        return OptionalLong.of(Long.parseLong(server.ask("""
                SELECT SUM(VARIABLE_VALUE) - (SELECT coalesce(SUM(2 * times - 1), 0) FROM %s)
                  FROM information_schema.GLOBAL_STATUS
                 WHERE VARIABLE_NAME IN ('HANDLER_WRITE', 'HANDLER_UPDATE', 'HANDLER_DELETE')""".formatted(table("flushed")))));
    }

    /** How often something was written only to make last what was seen. */
    long flushes() {
        return Long.parseLong(server.ask("SELECT coalesce(SUM(times), 0) FROM " + table("flushed")));
    }

    @Override
    public void close() {
        TABLES.forEach(name -> server.execute("DROP TABLE " + table(name)));
        server.execute(
                "DROP TABLE " + table("store"),
                "DROP TABLE " + table("latch"),
                "DROP TABLE " + table("migration"),
                "DROP SEQUENCE " + table("run_number"));
    }
}
