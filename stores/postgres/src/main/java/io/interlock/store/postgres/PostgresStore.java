package io.interlock.store.postgres;

import io.interlock.store.sql.PooledDatabase;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.ServerUrl;
import io.interlock.store.sql.SqlStore;
import io.interlock.store.sql.TableNames;
import io.interlock.time.Environment;
import javax.sql.DataSource;

/**
 * Opens leases and runs in PostgreSQL. Exclusion reaches as far as the database does, the server's clock decides, and what was
 * granted survives the death of any process including the server's.
 *
 * <p>If the server turns out to be another one than before (a promoted standby, a restored backup), leases may be missing
 * in it: then nothing is granted until all of them must be over, and tokens are lifted above all given out before. Use
 * synchronous replication if a failover must not cost that time.
 *
 * <p>One store per process is enough. It uses up to eight connections.
 */
public final class PostgresStore {

    private PostgresStore() {}

    /**
     * A store on connections that the application makes and pools, in schema {@code public} with the prefix {@value
     * io.interlock.store.sql.TableNames#DEFAULT_PREFIX}; see {@link #on(DataSource, String, String, SchemaMode,
     * Environment)}.
     */
    public static SqlStore on(DataSource connections) {
        return on(connections, "public", TableNames.DEFAULT_PREFIX, SchemaMode.APPLY, Environment.system());
    }

    /**
     * A store on connections that the application makes and pools. It borrows one for each call, and keeps one for wake-ups
     * from the first waiter on and one to send them; give the pool enough for that, and closing this leaves it open. Its
     * connections must allow {@code READ COMMITTED} and writing, and should have a connect timeout.
     *
     * @throws io.interlock.UnsafeStoreException if the database must not be used as it is
     * @throws io.interlock.StoreUnavailableException if it does not answer
     */
    public static SqlStore on(
            DataSource connections, String schema, String prefix, SchemaMode migrate, Environment environment) {
        ServerSettings settings = new ServerSettings(
                "postgresql (given connections)",
                new TableNames(schema, prefix),
                migrate,
                ServerSettings.DEFAULT_MAX_LEASE,
                ServerSettings.DEFAULT_TIMEOUT);
        return open(connections, false, settings, environment);
    }

    static SqlStore open(ServerUrl url, ServerSettings settings, Environment environment) {
        return open(PostgresUrl.dataSource(url, settings), true, settings, environment);
    }

    private static SqlStore open(
            DataSource connections, boolean pooling, ServerSettings settings, Environment environment) {
        PostgresDialect dialect = new PostgresDialect(settings.names());
        PostgresAttachment attachment = new PostgresAttachment(settings, dialect);
        attachment.open(connections, environment.clock());
        PooledDatabase database = pooling
                ? PooledDatabase.pooling("interlock-postgres", connections, attachment, environment)
                : PooledDatabase.on(connections, attachment, environment);
        PostgresFeed feed = new PostgresFeed(connections, settings, dialect, environment);
        return new SqlStore(
                database, attachment::capabilities, feed, new PostgresFastPath(database, dialect, feed), environment);
    }
}
