package io.interlock.store.postgres;

import io.interlock.servers.PostgresServer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
import io.interlock.store.sql.TableNames;
import io.interlock.tck.RunStoreHarness;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;

/** A schema of its own in the shared server. Its time goes on by moving everything that is stored into the past. */
public final class PostgresHarness implements RunStoreHarness {

    /** All but the one with the row of the store itself. */
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
            "sign_in");

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final PostgresServer server = PostgresServer.shared();
    private final String schema = "harness_" + COUNT.incrementAndGet();

    /** An empty store. */
    public PostgresHarness() {
        open(Environment.system()).close();
    }

    PostgresServer server() {
        return server;
    }

    String schema() {
        return schema;
    }

    /** The full name of one of the tables. */
    String table(String name) {
        return schema + ".interlock_" + name;
    }

    /** The store's time in microseconds, as an expression. */
    String now() {
        return "(SELECT " + PostgresDialect.CLOCK + " + clock_offset FROM " + table("store") + ")";
    }

    /** What keeps steps waiting in the session that executes it, until its transaction ends; or what a step begins with. */
    String latch(boolean shared) {
        long number = new PostgresDialect(new TableNames(schema, TableNames.DEFAULT_PREFIX)).latch();
        return "SELECT pg_advisory_xact_lock" + (shared ? "_shared(" : "(") + number + ")";
    }

    String url(String options) {
        return server.url("schema=" + schema + (options.isEmpty() ? "" : "&" + options));
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
        server.execute(TABLES.stream().map(name -> "DELETE FROM " + table(name)).collect(Collectors.joining("; "))
                + "; UPDATE " + table("store")
                + " SET epoch = 0, quiet_until = 0, token_floor = 0, last_heard = 0, heard_since = 0");
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

    /** A standby that was behind by everything is promoted; what a promotion does to the timeline, backwards. */
    @Override
    public boolean loseData() {
        server.execute(
                "DELETE FROM " + table("lease"),
                "UPDATE " + table("store") + " SET server = 'another', token_floor = 0");
        return true;
    }

    /** Transactions that wrote or locked a row: those, and no others, are given a number. */
    @Override
    public OptionalLong writes() {
        return OptionalLong.of(Long.parseLong(server.ask("SELECT pg_snapshot_xmax(pg_current_snapshot())")));
    }

    @Override
    public void close() {
        server.execute("DROP SCHEMA " + schema + " CASCADE");
    }
}
