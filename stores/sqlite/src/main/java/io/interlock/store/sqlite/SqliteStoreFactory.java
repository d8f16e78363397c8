package io.interlock.store.sqlite;

import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.util.Set;

/** Opens {@code sqlite:PATH?maxLease=5m&prefix=interlock_&migrate=apply&timeout=5s}. */
public final class SqliteStoreFactory implements StoreFactory {

    @Override
    public Set<String> schemes() {
        return Set.of("sqlite");
    }

    @Override
    public SqlStore open(StoreUrl url, Environment environment) {
        SqliteSettings settings = SqliteSettings.of(url);
        return SqliteStore.open(settings, environment, HostClocks.ofThisMachine(environment));
    }
}
