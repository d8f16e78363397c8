package io.interlock.store.sqlite;

import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.Database;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.nio.file.Path;
import java.time.Duration;

/** A store in a file whose clock a test sets, and a second way to the same file, at a later time. */
public final class ClockedFile implements AutoCloseable {

    private final Environment environment = Environment.system();
    private final FakeHostClock host = FakeHostClock.booted("boot-1");
    private final FakeHostClock laterHost = FakeHostClock.booted("boot-1");
    private final SqlStore store;
    private final SqliteDatabase later;

    /** A store in {@code file}. */
    public ClockedFile(Path file) {
        SqliteSettings settings = SqliteSettings.of(StoreUrl.parse("sqlite:" + file));
        store = SqliteStoreFactory.open(settings, environment, host);
        StoreClock clock = new StoreClock("later", laterHost, environment.clock());
        SqliteDialect dialect = new SqliteDialect(settings.names(), clock);
        later = new SqliteDatabase(new FileConnector(settings, dialect, environment.ticker()), dialect, clock);
    }

    /** The store. */
    public SqlStore store() {
        return store;
    }

    /** Lets time go on. */
    public void pass(Duration time) {
        host.pass(time);
    }

    /** The same tables as they are now, read {@code micros} later. */
    public Database later(long micros) {
        laterHost.set(host.uptime() + micros);
        return later;
    }

    @Override
    public void close() {
        later.close();
        store.close();
    }
}
