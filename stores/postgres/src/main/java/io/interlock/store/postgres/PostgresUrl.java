package io.interlock.store.postgres;

import io.interlock.InvalidSettingException;
import io.interlock.spi.StoreUrl;
import io.interlock.store.sql.SchemaMode;
import io.interlock.store.sql.TableNames;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * {@code postgresql://user:password@host:port/database?…}, taken apart. Its {@link #toString()} has no password.
 *
 * @param hosts one or more {@code host:port}, separated by commas
 * @param database its name, decoded
 * @param user decoded, or {@code null} for the name of the operating system's user
 * @param password decoded, or {@code null}
 * @param driverOptions what is passed on to the driver
 */
record PostgresUrl(
        String hosts,
        String database,
        @Nullable String user,
        @Nullable String password,
        Map<String, String> driverOptions) {

    private static final Set<String> OWN =
            Set.of("schema", TableNames.PREFIX_OPTION, SchemaMode.OPTION, "maxLease", "timeout");
    private static final Set<String> DRIVER = Set.of(
            "sslmode",
            "sslrootcert",
            "sslcert",
            "sslkey",
            "sslpassword",
            "sslNegotiation",
            "channelBinding",
            "gssEncMode",
            "targetServerType",
            "prepareThreshold",
            "ApplicationName");
    private static final Pattern HOST = Pattern.compile("(\\[[0-9A-Fa-f:.%]+]|[^\\[\\]:/?#@,\\s]+)(?::(\\d{1,5}))?");
    private static final String SHAPE = "write postgresql://user:password@host:port/database?option=value; "
            + "percent-encode special characters in user and password";

    static PostgresUrl of(StoreUrl url) {
        Set<String> known = new TreeSet<>(OWN);
        known.addAll(DRIVER);
        url.allowOnly(known);
        String rest = url.rest();
        int slash = rest.indexOf('/', 2);
        if (!rest.startsWith("//") || rest.indexOf('@') != rest.lastIndexOf('@')) {
            // Not shown: whatever is malformed here may be a password.
            throw new InvalidSettingException("store", url.scheme() + ":…", "is not a PostgreSQL URL", SHAPE);
        }
        if (slash < 0 || slash == rest.length() - 1) {
            throw new InvalidSettingException("store", url, "names no database", SHAPE);
        }
        String authority = rest.substring(2, slash);
        int at = authority.indexOf('@');
        String[] credentials =
                at < 0 ? new String[0] : authority.substring(0, at).split(":", 2);
        return new PostgresUrl(
                hosts(url, authority.substring(at + 1)),
                decode(rest.substring(slash + 1)),
                credentials.length > 0 && !credentials[0].isEmpty() ? decode(credentials[0]) : null,
                credentials.length > 1 ? decode(credentials[1]) : null,
                url.options().entrySet().stream()
                        .filter(option -> DRIVER.contains(option.getKey()))
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    /** Connections of the driver, none of them pooled, none of which waits longer than the timeout. */
    DataSource dataSource(PostgresSettings settings) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL("jdbc:postgresql://" + hosts + "/" + URLEncoder.encode(database, StandardCharsets.UTF_8));
        if (user != null) {
            source.setUser(user);
        }
        if (password != null) {
            source.setPassword(password);
        }
        source.setConnectTimeout(settings.timeoutSeconds());
        source.setSocketTimeout(settings.timeoutSeconds());
        source.setLoginTimeout(settings.timeoutSeconds());
        source.setTcpKeepAlive(true);
        source.setApplicationName("interlock");
        if (hosts.indexOf(',') >= 0) {
            source.setTargetServerType("primary");
        }
        driverOptions.forEach((name, value) -> set(source, name, value));
        return source;
    }

    @Override
    public String toString() {
        return "postgresql://" + hosts + "/" + database;
    }

    private static void set(PGSimpleDataSource source, String name, String value) {
        try {
            source.setProperty(name, value);
        } catch (SQLException refused) {
            throw new InvalidSettingException(
                    name, value, "is refused by the driver: " + refused.getMessage(), "correct it");
        }
    }

    private static String hosts(StoreUrl url, String text) {
        return Arrays.stream(text.split(",", -1))
                .map(host -> {
                    Matcher matcher = HOST.matcher(host);
                    if (!matcher.matches()) {
                        throw new InvalidSettingException(
                                "store", url, "has the host '" + host + "', which is none", SHAPE);
                    }
                    String port = matcher.group(2) == null ? "5432" : matcher.group(2);
                    if (Integer.parseInt(port) < 1 || Integer.parseInt(port) > 65_535) {
                        throw new InvalidSettingException(
                                "store", url, "has the port " + port + ", which is not from 1 to 65535", SHAPE);
                    }
                    return matcher.group(1) + ":" + port;
                })
                .collect(Collectors.joining(","));
    }

    private static String decode(String text) {
        try {
            // A plus is a plus outside of query strings.
            return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException broken) {
            throw new InvalidSettingException(
                    "store", "postgresql:…", "has a '%' that begins no percent-encoding", SHAPE);
        }
    }
}
