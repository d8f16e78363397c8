package io.interlock.store.mariadb;

import io.interlock.store.sql.AttachingDataSource;
import io.interlock.store.sql.PollingFeed;
import io.interlock.store.sql.PooledDatabase;
import io.interlock.store.sql.Pools;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.ServerUrl;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.util.List;
import javax.sql.DataSource;

/**
 * Opens leases and runs in MariaDB. Exclusion reaches as far as the database does, the server's clock decides, and what was
 * acknowledged survives the death of any process including the server's.
 *
 * <p>If the server turns out to be another one than before, leases may be missing in it: then nothing is granted until all of
 * them must be over, and tokens are lifted above all given out before.
 *
 * <p>One store per process is enough. It uses up to six connections.
 */
final class MariaDbStore {

    private static final List<String> BEGIN = List.of("START TRANSACTION");
    private static final List<String> BEGIN_READ =
            List.of("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ", "START TRANSACTION READ ONLY");

    private MariaDbStore() {}

    static SqlStore open(ServerUrl url, ServerSettings settings, Environment environment) {
        return open(MariaDbUrl.dataSource(url, settings), settings, environment);
    }

    /** A store on connections from {@code raw}, which has to make them as {@link MariaDbUrl} says. */
    static SqlStore open(DataSource raw, ServerSettings settings, Environment environment) {
        MariaDbDialect dialect = new MariaDbDialect(settings);
        MariaDbAttachment attachment = new MariaDbAttachment(settings, dialect);
        new MariaDbOpening(settings, dialect, attachment, environment).run(raw);
        AttachingDataSource attached = new AttachingDataSource(raw, attachment, dialect, settings, environment);
        Pools pools = new Pools("interlock-mariadb", attached, settings, environment);
        PooledDatabase database = new PooledDatabase(
                settings,
                dialect,
                attachment,
                new PooledDatabase.Connections(pools.steps(), pools.renewals(), BEGIN, BEGIN_READ, pools::close),
                environment);
        // Looks for changes do not wait behind new work.
        PooledDatabase looks = new PooledDatabase(
                settings,
                dialect,
                attachment,
                new PooledDatabase.Connections(pools.renewals(), pools.renewals(), BEGIN, BEGIN_READ, () -> {}),
                environment);
        return new SqlStore(
                database,
                attachment::capabilities,
                new PollingFeed(looks, PollingFeed.Changes.ALWAYS, environment, "interlock-mariadb-feed"),
                null,
                environment);
    }
}
