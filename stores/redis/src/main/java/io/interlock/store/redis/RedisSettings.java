package io.interlock.store.redis;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.StoreUrl.StoreSettings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@code redis:} or {@code rediss:} URL, and the names of its data.
 *
 * @param address the address of Redis and the login
 * @param common prefix, longest lease and timeout
 * @param waitReplicas how many replicas must confirm a grant
 * @param firstUse whether the user asserts that this Redis, empty and just started, never held leases
 */
record RedisSettings(Address address, StoreSettings common, int waitReplicas, boolean firstUse) {

    private static final Set<String> OPTIONS = Set.of("prefix", "maxLease", "timeout", "waitReplicas", "firstUse");

    RedisSettings {
        if (waitReplicas < 0 || waitReplicas > 100) {
            throw new InvalidSettingException(
                    "waitReplicas", waitReplicas, "must be from 0 to 100", "use at most the number of replicas");
        }
    }

    static RedisSettings of(StoreUrl url) {
        url.allowOnly(OPTIONS);
        return new RedisSettings(
                Address.parse(url),
                StoreSettings.of(url),
                wholeNumber("waitReplicas", url.option("waitReplicas", "0")),
                yesOrNo("firstUse", url.option("firstUse", "false")));
    }

    /** The store's kind and place, for messages, without secrets. */
    String displayName() {
        return address + " (prefix " + common.prefix() + ")";
    }

    /**
     * The address of Redis and the login. Its text has no secrets.
     *
     * @param user the user, or {@code null} for the default one
     * @param password the password, or {@code null} for none
     */
    record Address(
            boolean tls,
            String host,
            int port,
            int database,
            @Nullable String user,
            @Nullable String password) {

        private static final int DEFAULT_PORT = 6379;
        private static final int MAX_PORT = 65_535;

        static Address parse(StoreUrl url) {
            // The part before the last @ of a malformed URL may be a secret: never show it.
            String shown = url.scheme() + ":" + url.rest().replaceFirst("^.*@", "//***@");
            URI uri;
            try {
                uri = new URI(url.scheme() + ":" + url.rest());
            } catch (URISyntaxException broken) {
                throw malformed(shown);
            }
            String host = uri.getHost();
            int port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
            if (host == null || uri.getFragment() != null || port == 0 || port > MAX_PORT) {
                throw malformed(shown);
            }
            // Split before it is decoded: either part may contain an encoded colon.
            String[] credentials = uri.getRawUserInfo() == null
                    ? new String[] {"", ""}
                    : uri.getRawUserInfo().split(":", 2);
            if (credentials.length == 1) {
                throw malformed(shown);
            }
            return new Address(
                    url.scheme().equals("rediss"),
                    host.replaceAll("^\\[|\\]$", ""),
                    port,
                    database(uri.getPath(), shown),
                    credentials[0].isEmpty() ? null : StoreUrl.decoded(credentials[0]),
                    credentials[1].isEmpty() ? null : StoreUrl.decoded(credentials[1]));
        }

        @Override
        public String toString() {
            String shownHost = host.indexOf(':') < 0 ? host : "[" + host + "]";
            return (tls ? "rediss://" : "redis://") + shownHost + ":" + port + "/" + database;
        }

        private static int database(String path, String shown) {
            if (path.isEmpty() || path.equals("/")) {
                return 0;
            }
            if (!path.matches("/\\d{1,5}")) {
                throw malformed(shown);
            }
            return Integer.parseInt(path.substring(1));
        }

        private static InvalidSettingException malformed(String shown) {
            return new InvalidSettingException(
                    "store",
                    shown,
                    "is not the URL of a Redis",
                    "write redis://host:6379/0, redis://:password@host:6379/0 or redis://user:password@host:6379/0, with "
                            + "special characters of the password percent-encoded");
        }
    }

    private static int wholeNumber(String setting, String text) {
        if (!text.matches("\\d{1,4}")) {
            throw new InvalidSettingException(setting, text, "is not a whole number", "write 0, 1, 2, …");
        }
        return Integer.parseInt(text);
    }

    private static boolean yesOrNo(String setting, String text) {
        if (!text.equals("true") && !text.equals("false")) {
            throw new InvalidSettingException(setting, text, "is neither true nor false", "write one of them");
        }
        return text.equals("true");
    }

    /**
     * The names of all data of a store in Redis. All start with the prefix in braces, the hash tag of Redis Cluster, so
     * that they share a slot and one script may touch all of them.
     *
     * @param space the prefix in braces
     */
    record Namespace(String space) {

        // Below every character a tenant may contain, so that the order of members is the order of keys: with a colon,
        // tenant "a-b" would sort before tenant "a".
        private static final char SEPARATOR = ',';

        static Namespace of(String prefix) {
            return new Namespace("{" + prefix + "}");
        }

        /** Store record, index by key, index by time: the keys every script is given. */
        String[] keys() {
            return new String[] {space + ":store", space + ":index", space + ":due"};
        }

        /** The channel of wake-ups. */
        String wakeChannel() {
            return space + ":wake";
        }

        /** The form of a key in indexes, names of leases and wake-ups; different keys have different forms. */
        static String member(LockKey key) {
            return tenantMembers(key.tenant()) + key.name();
        }

        /** The prefix of the members of all keys of a tenant. */
        static String tenantMembers(String tenant) {
            return tenant + SEPARATOR;
        }

        /** The key that {@link #member} wrote. */
        static LockKey key(String member) {
            int separator = member.indexOf(SEPARATOR);
            return new LockKey(member.substring(0, separator), member.substring(separator + 1));
        }
    }
}
