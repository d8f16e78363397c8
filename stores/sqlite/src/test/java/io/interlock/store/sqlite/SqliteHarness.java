package io.interlock.store.sqlite;

import io.interlock.spi.StoreUrl;
import io.interlock.spi.Stores;
import io.interlock.store.sql.Micros;
import io.interlock.store.sql.SqlStore;
import io.interlock.tck.RunStoreHarness;
import io.interlock.time.Environment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A store in a file, whose time goes on by what is added to its clock. */
public final class SqliteHarness implements RunStoreHarness {

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

    private final String url;
    private final TestDatabase database;

    /** A store in {@code file}. */
    public SqliteHarness(Path file) {
        url = "sqlite:" + file;
        Stores.open(url).close();
        database = new TestDatabase(file);
    }

    @Override
    public SqlStore open(Environment environment) {
        return new SqliteStoreFactory().open(StoreUrl.parse(url), environment);
    }

    @Override
    public void advance(Duration time) {
        database.execute("UPDATE interlock_store SET clock_offset = clock_offset + " + Micros.of(time));
    }

    @Override
    public void reset() {
        // Once to the disk: every test begins with this.
        database.execute("BEGIN IMMEDIATE");
        TABLES.forEach(table -> database.execute("DELETE FROM interlock_" + table));
        // Else the numbers of what is deleted here would count as taken away.
        database.execute("DELETE FROM sqlite_sequence WHERE name = 'interlock_audit'");
        database.execute(
                "UPDATE interlock_store SET quiet_until = 0, epoch = 0, token_floor = 0, last_heard = 0, heard_since = 0");
        database.execute("COMMIT");
    }

    @Override
    public Optional<String> url() {
        return Optional.of(url);
    }

    @Override
    public OptionalLong writes() {
        return OptionalLong.of(database.number("PRAGMA data_version"));
    }

    @Override
    public void close() {
        database.close();
    }
}
