package io.interlock.store.postgres;

import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.ServerUrl;
import io.interlock.time.Environment;
import java.util.Set;

/**
 * Opens {@code postgresql://user:password@host:port/database}, with these options:
 *
 * <ul>
 *   <li>{@code schema} (public) and {@code prefix} (interlock_): where the tables are
 *   <li>{@code migrate}: {@code apply} creates and updates them, {@code validate} refuses if that is needed, {@code none}
 *       does not look
 *   <li>{@code maxLease} (5m): the longest lease, and the quiet period after data may have been lost
 *   <li>{@code timeout} (5s): how long a call may take before the store counts as unavailable
 *   <li>{@code sslmode}, {@code sslrootcert}, {@code sslcert}, {@code sslkey}, {@code sslpassword}, {@code
 *       sslNegotiation}, {@code channelBinding}, {@code gssEncMode}, {@code targetServerType}, {@code prepareThreshold},
 *       {@code ApplicationName}: passed on to the driver; {@code sslmode} must be there if the server is not on this host
 * </ul>
 *
 * <p>Several servers may be named as {@code host:port,host:port}; the primary among them is used. Behind a pooler in
 * transaction mode that knows no prepared statements, add {@code prepareThreshold=0}.
 */
public final class PostgresStoreFactory implements StoreFactory {

    @Override
    public Set<String> schemes() {
        return Set.of("postgresql", "postgres");
    }

    @Override
    public LeaseStore open(StoreUrl url, Environment environment) {
        ServerUrl where = PostgresUrl.requireSslmode(PostgresUrl.of(url));
        return PostgresStore.open(where, PostgresUrl.settings(where, url), environment);
    }
}
