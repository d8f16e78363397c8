package io.interlock.store.mariadb;

import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.FastPath;
import io.interlock.store.sql.PollingFeed;
import io.interlock.store.sql.PooledDatabase;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.ServerUrl;
import io.interlock.store.sql.SqlStore;
import io.interlock.time.Environment;
import java.util.Set;
import javax.sql.DataSource;

/**
 * Opens {@code mariadb://user:password@host:port/database}: leases and runs in MariaDB. Exclusion reaches as far as the database does,
 * the server's clock decides, and what was acknowledged survives the death of any process including the server's.
 *
 * <p>If the server turns out to be another one than before, leases may be missing in it: then nothing is granted until all of
 * them must be over, and tokens are lifted above all given out before.
 *
 * <p>One store per process is enough. It uses up to six connections. Its options:
 *
 * <ul>
 *   <li>{@code prefix} (interlock_): what the names of the tables begin with
 *   <li>{@code migrate}: {@code apply} creates and updates them, {@code validate} refuses if that is needed, {@code none}
 *       does not look
 *   <li>{@code maxLease} (5m): the longest lease, and the quiet period after data may have been lost
 *   <li>{@code timeout} (5s): how long a call may take before the store counts as unavailable
 *   <li>{@code sslMode} and what belongs to it ({@code serverSslCert}, {@code keyStore}, {@code keyStorePassword}, {@code
 *       keyStoreType}, {@code trustStore}, {@code trustStorePassword}, {@code trustStoreType}, {@code
 *       enabledSslProtocolSuites}, {@code serverRsaPublicKeyFile}, {@code allowPublicKeyRetrieval}, {@code restrictedAuth}):
 *       passed on to the driver. Without {@code sslMode} the driver demands a certificate it can verify ({@code verify-full});
 *       only to this machine itself (localhost, 127.0.0.1, ::1) the store connects without TLS
 * </ul>
 *
 * <p>It needs MariaDB 10.6 or later. MySQL is refused: it lacks statements that the store uses.
 */
public final class MariaDbStoreFactory implements StoreFactory {

    @Override
    public Set<String> schemes() {
        return Set.of("mariadb");
    }

    @Override
    public LeaseStore open(StoreUrl url, Environment environment) {
        ServerUrl where = MariaDbUrl.of(url);
        ServerSettings settings = MariaDbUrl.settings(where, url);
        return open(MariaDbUrl.dataSource(where, settings), settings, environment);
    }

    /** A store on connections from {@code raw}, which has to make them as {@link MariaDbUrl} says. */
    static SqlStore open(DataSource raw, ServerSettings settings, Environment environment) {
        MariaDbDialect dialect = new MariaDbDialect(settings);
        MariaDbAttachment attachment = new MariaDbAttachment(settings, dialect);
        attachment.open(raw, environment.clock());
        PooledDatabase database = PooledDatabase.pooling("interlock-mariadb", raw, attachment, environment);
        return new SqlStore(
                database,
                attachment::capabilities,
                new PollingFeed(database.byUrgentConnections(), () -> true, environment, "interlock-mariadb-feed"),
                FastPath.NONE,
                environment);
    }
}
