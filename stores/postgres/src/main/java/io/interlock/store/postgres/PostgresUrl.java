package io.interlock.store.postgres;

import io.interlock.InvalidSettingException;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.ServerSettings;
import io.interlock.store.sql.ServerUrl;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** {@code postgresql://user:password@host:port/database?…}, and the connections it stands for. */
final class PostgresUrl {

    private static final Set<String> DRIVER = Set.of(
            ("sslmode sslrootcert sslcert sslkey sslpassword sslNegotiation channelBinding gssEncMode targetServerType"
                            + " prepareThreshold ApplicationName")
                    .split(" ", -1));

    private PostgresUrl() {}

    /** Without a user it means the name of the operating system's user; of several hosts the primary is used. */
    static ServerUrl of(StoreUrl url) {
        Set<String> own = new TreeSet<>(ServerSettings.OPTIONS);
        own.add("schema");
        return ServerUrl.of(url, new ServerUrl.Kind("PostgreSQL", "postgresql", 5432, own, DRIVER));
    }

    /**
     * Refuses a server elsewhere if the URL does not say whether the connection is to be encrypted: the driver would go on without, and the
     * password, parameters and results would travel in the clear.
     */
    static ServerUrl requireSslmode(ServerUrl url) {
        if (!url.isLoopback() && !url.driverOptions().containsKey("sslmode")) {
            throw new InvalidSettingException(
                    "store",
                    url,
                    "is elsewhere, and does not say by sslmode whether connections are encrypted",
                    "add ?sslmode=verify-full&sslrootcert=FILE, or, where the network itself is trusted, ?sslmode=prefer");
        }
        return url;
    }

    static ServerSettings settings(ServerUrl where, StoreUrl url) {
        return ServerSettings.of(where.toString(), url.option("schema", "public"), url);
    }

    /** Connections of the driver, none of them pooled, none of which waits longer than the timeout. */
    static DataSource dataSource(ServerUrl url, ServerSettings settings) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(
                "jdbc:postgresql://" + url.hosts() + "/" + URLEncoder.encode(url.database(), StandardCharsets.UTF_8));
        if (url.user() != null) {
            source.setUser(url.user());
        }
        if (url.password() != null) {
            source.setPassword(url.password());
        }
        source.setConnectTimeout(settings.timeoutSeconds());
        source.setSocketTimeout(settings.timeoutSeconds());
        source.setLoginTimeout(settings.timeoutSeconds());
        source.setTcpKeepAlive(true);
        source.setApplicationName("interlock");
        // Connections are kept, and their statements are few: each is planned once, not only from its fifth use on.
        source.setPrepareThreshold(1);
        if (url.hosts().indexOf(',') >= 0) {
            source.setTargetServerType("primary");
        }
        url.driverOptions().forEach((name, value) -> set(source, name, value));
        return source;
    }

    private static void set(PGSimpleDataSource source, String name, String value) {
        try {
            source.setProperty(name, value);
        } catch (SQLException refused) {
            throw new InvalidSettingException(
                    name, value, "is refused by the driver: " + refused.getMessage(), "correct it");
        }
    }
}
