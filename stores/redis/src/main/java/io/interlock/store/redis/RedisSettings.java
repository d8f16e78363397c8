package io.interlock.store.redis;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.spi.StoreUrl;
import io.interlock.spi.StoreUrl.StoreSettings;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
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

        private static final Pattern PLACE = Pattern.compile("//(?:(?<user>[^:@/]*):(?<password>[^@/]*)@)?"
                + "(?:\\[(?<address>[0-9A-Fa-f:.%]+)\\]|(?<name>[A-Za-z0-9._-]+))(?::(?<port>\\d{1,5}))?"
                + "(?:/(?<database>\\d{1,5})?)?");
        private static final int DEFAULT_PORT = 6379;
        private static final int MAX_PORT = 65_535;

        static Address parse(StoreUrl url) {
            Matcher place = PLACE.matcher(url.rest());
            if (!place.matches()) {
                throw malformed(url);
            }
            int port = number(place.group("port"), DEFAULT_PORT);
            if (port == 0 || port > MAX_PORT) {
                throw malformed(url);
            }
            return new Address(
                    url.scheme().equals("rediss"),
                    place.group("name") == null ? place.group("address") : place.group("name"),
                    port,
                    number(place.group("database"), 0),
                    decodedOrNull(place.group("user")),
                    decodedOrNull(place.group("password")));
        }

        @Override
        public String toString() {
            String shownHost = host.indexOf(':') < 0 ? host : "[" + host + "]";
            return (tls ? "rediss://" : "redis://") + shownHost + ":" + port + "/" + database;
        }

        private static int number(@Nullable String text, int otherwise) {
            return text == null ? otherwise : Integer.parseInt(text);
        }

        private static @Nullable String decodedOrNull(@Nullable String text) {
            return text == null || text.isEmpty() ? null : StoreUrl.decoded(text);
        }

        private static InvalidSettingException malformed(StoreUrl url) {
            // The part before the last @ may be a secret: never show it.
            return new InvalidSettingException(
                    "store",
                    url.scheme() + ":" + url.rest().replaceFirst("^.*@", "//***@"),
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
