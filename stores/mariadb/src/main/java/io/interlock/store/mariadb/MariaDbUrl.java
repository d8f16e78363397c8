package io.interlock.store.mariadb;

import io.interlock.InvalidSettingException;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.ServerUrl;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;

/** {@code mariadb://user:password@host:port/database?…}, and the connections it stands for. */
final class MariaDbUrl {

    private static final Set<String> DRIVER = Set.of(
            ("sslMode serverSslCert keyStore keyStorePassword keyStoreType trustStore trustStorePassword trustStoreType"
                            + " enabledSslProtocolSuites serverRsaPublicKeyFile allowPublicKeyRetrieval restrictedAuth")
                    .split(" ", -1));

    private static final int FROZEN_SECONDS = 3;

    private MariaDbUrl() {}

    static ServerUrl of(StoreUrl url) {
        ServerUrl server =
                ServerUrl.of(url, new ServerUrl.Kind("MariaDB", "mariadb", 3306, ServerSettings.OPTIONS, DRIVER));
        if (server.hosts().indexOf(',') >= 0) {
            throw new InvalidSettingException("store", url, "names several hosts", "name the primary");
        }
        return server;
    }

    /** The tables are in the database of the URL, whatever it is called. */
    static ServerSettings settings(ServerUrl where, StoreUrl url) {
        return ServerSettings.of(where.toString(), null, url);
    }

    /** Connections of the driver, none of them pooled, none of which waits longer than the timeout. */
    static DataSource dataSource(ServerUrl url, ServerSettings settings) {
        Map<String, String> options = new TreeMap<>();
        if (url.isLoopback()) {
            options.put("sslMode", "disable");
        }
        options.putAll(url.driverOptions());
        options.put("connectTimeout", Integer.toString(settings.timeoutMillis()));
        options.put("socketTimeout", Integer.toString(settings.timeoutMillis()));
        options.put("allowMultiQueries", "true");
        options.put("transactionIsolation", "READ-COMMITTED");
        options.put("sessionVariables", session(settings));
        StringBuilder text = new StringBuilder("jdbc:mariadb://" + url.hosts() + "/" + url.database());
        options.forEach((name, value) -> {
            if (value.indexOf('&') >= 0) {
                throw new InvalidSettingException(
                        name, "…", "has an '&', which the driver cannot take", "choose another");
            }
            text.append(text.indexOf("?") < 0 ? '?' : '&')
                    .append(name)
                    .append('=')
                    .append(value);
        });
        try {
            MariaDbDataSource source = new MariaDbDataSource(text.toString());
            source.setUser(url.user() == null ? System.getProperty("user.name") : url.user());
            if (url.password() != null) {
                source.setPassword(url.password());
            }
            return source;
        } catch (SQLException refused) {
            throw new InvalidSettingException(
                    "store", url, "is refused by the driver: " + refused.getMessage(), "correct its options");
        }
    }

    /**
     * How long a step may wait for a row, which is less than its caller waits for the answer, and how long a process that is
     * frozen in the middle of one keeps its rows; and what statements rely on.
     */
    private static String session(ServerSettings settings) {
        int patience = Math.max(1, settings.patienceMillis() / 1000);
        return "time_zone='+00:00',sql_mode='STRICT_ALL_TABLES',idle_transaction_timeout=" + FROZEN_SECONDS
                + ",innodb_lock_wait_timeout=" + patience
                + ",lock_wait_timeout=" + patience
                + ",max_statement_time=" + String.format(Locale.ROOT, "%.3f", settings.timeoutMillis() * 0.9 / 1000)
                + ",max_recursive_iterations=100000";
    }
}
