package io.interlock.spring.boot;

import com.zaxxer.hikari.HikariDataSource;
import io.interlock.InvalidSettingException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.util.ClassUtils;

/**
 * The store URL of the database behind a {@link DataSource}. The store makes connections of its own, with the DataSource's user and password:
 * renewals must not wait for a pool that the application has used up.
 */
final class DataSourceUrl {

    private static final String NEXT = "set interlock.store to the store's URL";

    /** Options of the driver that decide who can read the connection, and which server is the right one. */
    private static final Set<String> PASSED_ON = Set.of(
            "sslmode",
            "sslrootcert",
            "sslcert",
            "sslkey",
            "sslpassword",
            "sslNegotiation",
            "channelBinding",
            "targetServerType",
            "sslMode",
            "serverSslCert",
            "keyStore",
            "keyStorePassword",
            "keyStoreType",
            "trustStore",
            "trustStorePassword",
            "trustStoreType");

    private DataSourceUrl() {}

    /**
     * The URL.
     *
     * @param options the store's own, which win
     * @throws InvalidSettingException if the database cannot hold leases, or user and password are not known
     */
    static String of(DataSource source, Map<String, String> options) {
        HikariDataSource pool = ClassUtils.isPresent("com.zaxxer.hikari.HikariDataSource", null)
                ? DataSourceUnwrapper.unwrap(source, HikariDataSource.class)
                : null;
        String jdbc = pool != null && pool.getJdbcUrl() != null ? pool.getJdbcUrl() : urlOf(source);
        String scheme = jdbc.split(":", 3).length > 1 ? jdbc.split(":", 3)[1] : "";
        switch (scheme) {
            case "sqlite" -> {
                return with(jdbc.substring("jdbc:".length()).replaceFirst("\\?.*", ""), options);
            }
            case "postgresql", "mariadb" -> {
                if (pool == null || pool.getJdbcUrl() == null) {
                    throw new InvalidSettingException(
                            "DataSource",
                            source.getClass().getName(),
                            "does not tell user and password of " + scheme,
                            NEXT + ", or define a bean of type Locks");
                }
                return ofServer(scheme, jdbc, pool.getUsername(), pool.getPassword(), options);
            }
            default ->
                throw new InvalidSettingException(
                        "DataSource",
                        withoutOptions(jdbc),
                        "is no PostgreSQL, MariaDB or SQLite, which can hold leases",
                        NEXT + "; in tests use @WithFakeLocks, and for a single process interlock.store=memory:");
        }
    }

    static String ofServer(
            String scheme,
            String jdbc,
            @Nullable String user,
            @Nullable String password,
            Map<String, String> storeOptions) {
        Map<String, String> given = options(jdbc);
        String place = withoutOptions(jdbc).substring(("jdbc:" + scheme + ":").length());
        if (!place.startsWith("//")) {
            throw new InvalidSettingException("DataSource", withoutOptions(jdbc), "names no host", NEXT);
        }
        StringBuilder url = new StringBuilder(scheme).append("://");
        String knownUser = user != null ? user : given.get("user");
        String knownPassword = password != null ? password : given.get("password");
        if (knownUser != null) {
            url.append(encoded(knownUser));
            if (knownPassword != null) {
                url.append(':').append(encoded(knownPassword));
            }
            url.append('@');
        }
        url.append(place, 2, place.length());
        Map<String, String> passed = new LinkedHashMap<>();
        given.forEach((name, value) -> {
            if (PASSED_ON.contains(name)) {
                passed.put(name, value);
            }
        });
        if (scheme.equals("postgresql")) {
            // As the application itself: the driver's default, said aloud.
            passed.putIfAbsent("sslmode", "true".equals(given.get("ssl")) ? "verify-full" : "prefer");
            if (given.containsKey("currentSchema")) {
                passed.put("schema", given.get("currentSchema").split(",", 2)[0]);
            }
        }
        passed.putAll(storeOptions);
        return with(url.toString(), passed);
    }

    private static String with(String url, Map<String, String> options) {
        return options.isEmpty()
                ? url
                : url
                        + options.entrySet().stream()
                                .map(option -> option.getKey() + "=" + encoded(option.getValue()))
                                .collect(Collectors.joining("&", "?", ""));
    }

    private static Map<String, String> options(String jdbc) {
        Map<String, String> options = new LinkedHashMap<>();
        int question = jdbc.indexOf('?');
        if (question >= 0) {
            for (String pair : jdbc.substring(question + 1).split("&", -1)) {
                String[] parts = pair.split("=", 2);
                if (parts.length == 2) {
                    options.put(parts[0], URLDecoder.decode(parts[1], StandardCharsets.UTF_8));
                }
            }
        }
        return options;
    }

    // What follows may be a password.
    private static String withoutOptions(String jdbc) {
        return jdbc.split("[?;]", 2)[0];
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String urlOf(DataSource source) {
        try (Connection connection = source.getConnection()) {
            String url = connection.getMetaData().getURL();
            return url == null ? "" : url;
        } catch (SQLException failure) {
            throw new InvalidSettingException(
                    "DataSource",
                    source.getClass().getName(),
                    "gives no connection: " + failure.getMessage(),
                    NEXT + ", or correct spring.datasource.*");
        }
    }
}
