package io.interlock.store.sqlite;

import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import org.sqlite.SQLiteConfig;

/** Opens {@code sqlite:PATH?maxLease=5m&prefix=interlock_&migrate=apply&timeout=5s}. */
public final class SqliteStoreFactory implements StoreFactory {

    @Override
    public Set<String> schemes() {
        return Set.of("sqlite");
    }

    @Override
    public SqlStore open(StoreUrl url, Environment environment) {
        SqliteSettings settings = SqliteSettings.of(url);
        return SqliteStore.open(settings, environment, HostClock.ofThisMachine(environment));
    }

    /** The driver loads its library, and calendars and formats for dates, with the first connection. */
    @Override
    public void prepare() {
        try (Connection connection = new SQLiteConfig().createConnection("jdbc:sqlite::memory:");
                Statement statement = connection.createStatement()) {
            statement.execute("SELECT 1");
        } catch (SQLException failure) {
            throw SqliteErrors.atOpening("sqlite::memory:", failure);
        }
    }
}
