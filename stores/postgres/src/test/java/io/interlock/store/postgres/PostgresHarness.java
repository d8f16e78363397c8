package io.interlock.store.postgres;

import io.interlock.spi.LeaseStore;
import io.interlock.spi.Stores;
import io.interlock.tck.StoreHarness;
import io.interlock.time.Environment;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;

/** A schema of its own in the shared server. Its time goes on by moving everything that is stored into the past. */
final class PostgresHarness implements StoreHarness {

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final PostgresServer server = PostgresServer.shared();
    private final String schema = "harness_" + COUNT.incrementAndGet();

    PostgresHarness() {
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
    public LeaseStore open(Environment environment) {
        return Stores.open(url(""), environment);
    }

    @Override
    public void advance(Duration time) {
        String by = " - interval '" + time.toNanos() / 1000 + " microseconds'";
        server.execute(
                "UPDATE " + table("lease") + " SET granted_at = granted_at" + by + ", expires_at = expires_at" + by
                        + ", evicted_at = evicted_at" + by + ", waiters_until = waiters_until" + by
                        + ", freed_at = freed_at" + by,
                "UPDATE " + table("store") + " SET no_grant_before = no_grant_before" + by);
    }

    @Override
    public void reset() {
        server.execute(
                "DELETE FROM " + table("lease"),
                "UPDATE " + table("store") + " SET epoch = 0, no_grant_before = '-infinity', token_floor = 0");
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
