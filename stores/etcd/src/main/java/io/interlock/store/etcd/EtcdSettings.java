package io.interlock.store.etcd;

import io.interlock.InvalidSettingException;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.StoreUrl.StoreSettings;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The settings of an {@code etcd:} or {@code etcds:} URL.
 *
 * @param tls whether to use TLS
 * @param members host and port of each
 * @param user the user, or {@code null}
 * @param password the user's password, or {@code null}
 * @param common prefix, longest lease and timeout
 * @param ca certificates to trust instead of those of the Java process
 * @param cert the client's certificate
 * @param key the key of that certificate
 */
record EtcdSettings(
        boolean tls,
        List<String> members,
        @Nullable String user,
        @Nullable String password,
        StoreSettings common,
        @Nullable Path ca,
        @Nullable Path cert,
        @Nullable Path key) {

    private static final Pattern PLACE = Pattern.compile("//(?:([^:@/]*):([^@/]*)@)?([^@/]+)/?");
    private static final Pattern MEMBER = Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.%]+\\])(?::(\\d{1,5}))?");
    private static final String DEFAULT_PORT = "2379";
    private static final int MAX_PORT = 65_535;

    EtcdSettings {
        if ((cert == null) != (key == null)) {
            throw new InvalidSettingException(
                    cert == null ? "cert" : "key", "", "is missing", "give both cert and key, or neither");
        }
        if (!tls && (ca != null || cert != null)) {
            throw new InvalidSettingException(
                    "store", "etcd:", "has certificates but no TLS", "write etcds:// or remove ca, cert and key");
        }
    }

    static EtcdSettings of(StoreUrl url) {
        url.allowOnly(Set.of("prefix", "maxLease", "timeout", "ca", "cert", "key"));
        Matcher place = PLACE.matcher(url.rest());
        if (!place.matches()) {
            throw malformed(url);
        }
        return new EtcdSettings(
                url.scheme().equals("etcds"),
                Stream.of(place.group(3).split(",", -1))
                        .map(member -> member(url, member))
                        .toList(),
                place.group(1) == null ? null : StoreUrl.decoded(place.group(1)),
                place.group(2) == null ? null : StoreUrl.decoded(place.group(2)),
                StoreSettings.of(url),
                file(url, "ca"),
                file(url, "cert"),
                file(url, "key"));
    }

    List<URI> endpoints() {
        return members.stream()
                .map(member -> URI.create((tls ? "https://" : "http://") + member))
                .toList();
    }

    /** The store's kind and place, for messages, without secrets. */
    @Override
    public String toString() {
        return (tls ? "etcds://" : "etcd://") + String.join(",", members) + " (prefix " + common.prefix() + ")";
    }

    private static String member(StoreUrl url, String text) {
        Matcher member = MEMBER.matcher(text);
        if (!member.matches()) {
            throw malformed(url);
        }
        String port = member.group(2) == null ? DEFAULT_PORT : member.group(2);
        if (Integer.parseInt(port) < 1 || Integer.parseInt(port) > MAX_PORT) {
            throw malformed(url);
        }
        return member.group(1) + ":" + port;
    }

    private static @Nullable Path file(StoreUrl url, String option) {
        String name = url.option(option, "");
        return name.isEmpty() ? null : Path.of(name);
    }

    private static InvalidSettingException malformed(StoreUrl url) {
        return new InvalidSettingException(
                "store",
                url.scheme() + ":" + url.rest().replaceFirst("^.*@", "//***@"),
                "is not the URL of an etcd cluster",
                "write etcd://host:2379, etcd://host1:2379,host2:2379,host3:2379 or etcd://user:password@host:2379, with "
                        + "special characters of the password percent-encoded");
    }
}
