package io.interlock.store.mariadb;

import io.interlock.spi.LeaseStore;
import io.interlock.spi.StoreFactory;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.ServerUrl;
import io.interlock.time.Environment;
import java.util.Set;

/**
 * Opens {@code mariadb://user:password@host:port/database}, with these options:
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

    /** For {@link java.util.ServiceLoader}. */
    public MariaDbStoreFactory() {}

    @Override
    public Set<String> schemes() {
        return Set.of("mariadb");
    }

    @Override
    public LeaseStore open(StoreUrl url, Environment environment) {
        ServerUrl where = MariaDbUrl.of(url);
        return MariaDbStore.open(where, MariaDbUrl.settings(where, url), environment);
    }
}
