package io.interlock.store.postgres;

import io.interlock.servers.PostgresServer;
import io.interlock.spi.Stores;
import io.interlock.spi.run.RunStore;
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

    /** All but those with the one row of the store itself. */
    private static final List<String> TABLES = List.of(
            "lease",
            "run",
            "attempt",
            "resource",
            "pause",
            "remembered",
            "audit",
            "unsealed",
            "seal",
            "dead_letter",
            "output",
            "refusal_count",
            "worker",
            "bookmark",
            "work_wanted",
            "access_key");

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

    String url(String options) {
        return server.url("schema=" + schema + (options.isEmpty() ? "" : "&" + options));
    }

    @Override
    public RunStore open(Environment environment) {
        return (RunStore) Stores.open(url(""), environment);
    }

    @Override
    public void advance(Duration time) {
        String by = "interval '" + time.toNanos() / 1000 + " microseconds'";
        server.execute(
                """
                DO $$
                DECLARE
                    t record;
                BEGIN
                    FOR t IN
                        SELECT table_name AS name, string_agg(format('%1$I = %1$I - TIME', column_name), ', ') AS moves
                        FROM information_schema.columns
                        WHERE table_schema = 'SCHEMA' AND data_type = 'timestamp with time zone'
                        GROUP BY table_name
                    LOOP
                        EXECUTE format('UPDATE SCHEMA.%I SET %s', t.name, t.moves);
                    END LOOP;
                END $$""".replace("TIME", by.replace("'", "''")).replace("SCHEMA", schema),
                "UPDATE " + table("run") + " SET stage_times = ARRAY(SELECT t - " + by
                        + " FROM unnest(stage_times) WITH ORDINALITY u (t, n) ORDER BY n)");
    }

    @Override
    public void reset() {
        // All of it in one transaction, which waits for the disk once: every test begins with this.
        server.execute(TABLES.stream().map(name -> "DELETE FROM " + table(name)).collect(Collectors.joining("; "))
                + "; DELETE FROM " + table("chain") + "; INSERT INTO " + table("chain") + " DEFAULT VALUES"
                + "; UPDATE " + table("store")
                + " SET epoch = 0, no_grant_before = '-infinity', token_floor = 0");
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
                "UPDATE " + table("store") + " SET timeline = '00000000', token_floor = 0");
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
