package io.interlock.store.sql;

import io.interlock.InvalidSettingException;
import io.interlock.spi.StoreUrl;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * {@code scheme://user:password@host:port/database?…}, taken apart. Its {@link #toString()} has no password.
 *
 * @param hosts one or more {@code host:port}, separated by commas
 * @param database its name, decoded
 * @param user decoded, or {@code null} if it names none; as the password
 * @param driverOptions what is passed on to the driver
 */
public record ServerUrl(
        String scheme,
        String hosts,
        String database,
        @Nullable String user,
        @Nullable String password,
        Map<String, String> driverOptions) {

    private static final Pattern HOST = Pattern.compile("(\\[[0-9A-Fa-f:.%]+]|[^\\[\\]:/?#@,\\s]+)(?::(\\d{1,5}))?");

    private static final Pattern LOOPBACK = Pattern.compile("(localhost|127\\.[0-9.]+|\\[::1]):\\d+");

    /**
     * What URLs of one kind of server look like.
     *
     * @param name of the server, for people
     * @param port where it listens unless the URL says otherwise
     * @param own options that are the store's
     * @param driver options that are the driver's
     */
    public record Kind(String name, String scheme, int port, Set<String> own, Set<String> driver) {

        private String shape() {
            return "write " + scheme + "://user:password@host:port/database?option=value; "
                    + "percent-encode special characters in user and password";
        }
    }

    /**
     * Takes {@code url} apart.
     *
     * @throws InvalidSettingException if it is malformed, or has options that are unknown
     */
    public static ServerUrl of(StoreUrl url, Kind kind) {
        Set<String> known = new TreeSet<>(kind.own());
        known.addAll(kind.driver());
        url.allowOnly(known);
        String rest = url.rest();
        int slash = rest.indexOf('/', 2);
        if (!rest.startsWith("//") || rest.indexOf('@') != rest.lastIndexOf('@')) {
            // Not shown: whatever is malformed here may be a password.
            throw new InvalidSettingException(
                    "store", url.scheme() + ":…", "is not a " + kind.name() + " URL", kind.shape());
        }
        if (slash < 0 || slash == rest.length() - 1) {
            throw new InvalidSettingException("store", url, "names no database", kind.shape());
        }
        String authority = rest.substring(2, slash);
        int at = authority.indexOf('@');
        String[] credentials =
                at < 0 ? new String[0] : authority.substring(0, at).split(":", 2);
        return new ServerUrl(
                kind.scheme(),
                hosts(url, kind, authority.substring(at + 1)),
                StoreUrl.decoded(rest.substring(slash + 1)),
                credentials.length > 0 && !credentials[0].isEmpty() ? StoreUrl.decoded(credentials[0]) : null,
                credentials.length > 1 ? StoreUrl.decoded(credentials[1]) : null,
                url.options().entrySet().stream()
                        .filter(option -> kind.driver().contains(option.getKey()))
                        .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
    }

    /** Whether all its hosts are this one, as far as their names tell: what is sent to them leaves no machine. */
    public boolean isLoopback() {
        return Arrays.stream(hosts.split(",", -1))
                .allMatch(host -> LOOPBACK.matcher(host).matches());
    }

    @Override
    public String toString() {
        return scheme + "://" + hosts + "/" + database;
    }

    private static String hosts(StoreUrl url, Kind kind, String text) {
        return Arrays.stream(text.split(",", -1))
                .map(host -> {
                    Matcher matcher = HOST.matcher(host);
                    if (!matcher.matches()) {
                        throw new InvalidSettingException(
                                "store", url, "has the host '" + host + "', which is none", kind.shape());
                    }
                    int port = matcher.group(2) == null ? kind.port() : Integer.parseInt(matcher.group(2));
                    if (port < 1 || port > 65_535) {
                        throw new InvalidSettingException(
                                "store", url, "has the port " + port + ", which is not from 1 to 65535", kind.shape());
                    }
                    return matcher.group(1) + ":" + port;
                })
                .collect(Collectors.joining(","));
    }
}
