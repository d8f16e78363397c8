package io.interlock.spi;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import io.interlock.StoreCapabilities;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * A parsed store URL: {@code scheme:rest?option=value&…}. Its {@link #toString()} hides the password.
 *
 * @param scheme in lower case
 * @param rest the part between the scheme and the options
 * @param options decoded
 */
public record StoreUrl(String scheme, String rest, Map<String, String> options) {

    /** {@code //user:begin-of-a-password/rest-of-it@…}: a password with a character that ends the host. */
    private static final Pattern CUT_PASSWORD = Pattern.compile("//[^/?@]*:[^/?@]*/[^?]*@.*");

    /** The same with a question mark; ports may be followed by options with an {@code @}. */
    private static final Pattern CUT_BY_OPTIONS = Pattern.compile("//[^/?@]*:(?!\\d{1,5}[/?,])[^/?@\\]]*\\?.*@.*");

    public StoreUrl {
        options = Map.copyOf(options);
    }

    public static StoreUrl parse(String url) {
        int colon = url.indexOf(':');
        if (colon <= 0) {
            throw new InvalidSettingException(
                    "store",
                    StoreCapabilities.shown(url),
                    "has no scheme",
                    "write memory:, sqlite:PATH, postgresql://user:password@host:port/db,"
                            + " mariadb://user:password@host:port/db, redis://host:port, etcd://host:port,… or firestore://project");
        }
        String after = url.substring(colon + 1);
        if (CUT_PASSWORD.matcher(after).matches()
                || CUT_BY_OPTIONS.matcher(after).matches()) {
            // The URL is not shown, because its password is malformed.
            throw new InvalidSettingException(
                    "store",
                    url.substring(0, colon) + ":…",
                    "has an '@' after the host, as if the password contained '/' or '?'",
                    "percent-encode special characters in user and password: %2F for /, %3F for ?, %40 for @");
        }
        int question = url.indexOf('?', colon);
        String rest = question < 0 ? url.substring(colon + 1) : url.substring(colon + 1, question);
        Map<String, String> options = new TreeMap<>();
        if (question >= 0) {
            for (String pair : url.substring(question + 1).split("&", -1)) {
                addOption(options, url, pair);
            }
        }
        return new StoreUrl(url.substring(0, colon).toLowerCase(Locale.ROOT), rest, options);
    }

    /**
     * Refuses unknown options.
     *
     * @throws InvalidSettingException naming the unknown ones and the known ones
     */
    public void allowOnly(Set<String> known) {
        TreeSet<String> unknown = new TreeSet<>(options.keySet());
        unknown.removeAll(known);
        if (!unknown.isEmpty()) {
            throw new InvalidSettingException(
                    "store", this, "has unknown options " + unknown, "known are " + new TreeSet<>(known));
        }
    }

    /** An option, or its default. */
    public String option(String name, String otherwise) {
        return options.getOrDefault(name, otherwise);
    }

    /** An option that is a duration, or its default. */
    public Duration duration(String name, Duration otherwise) {
        String text = options.get(name);
        return text == null ? otherwise : DurationText.parse(name, text);
    }

    /**
     * A user, a password or another part of a URL, without its percent-encoding.
     *
     * @throws InvalidSettingException that does not show it, because it may be a secret
     */
    public static String decoded(String part) {
        // A plus is a plus outside of options.
        return decodedOption(part.replace("+", "%2B"));
    }

    private static String decodedOption(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException broken) {
            throw new InvalidSettingException(
                    "store", "…", "has a '%' that begins no percent-encoding", "write %25 for a '%'");
        }
    }

    @Override
    public String toString() {
        return StoreCapabilities.shown(scheme + ":" + rest);
    }

    private static void addOption(Map<String, String> options, String url, String pair) {
        int equals = pair.indexOf('=');
        if (equals <= 0) {
            throw new InvalidSettingException(
                    "store",
                    StoreCapabilities.shown(url),
                    "has the option '" + pair + "' without a value",
                    "write ?option=value&…");
        }
        String name = decodedOption(pair.substring(0, equals));
        String value = decodedOption(pair.substring(equals + 1));
        if (options.put(name, value) != null) {
            throw new InvalidSettingException(
                    "store", StoreCapabilities.shown(url), "has the option '" + name + "' twice", "remove one of them");
        }
    }

    /**
     * The settings that the URLs of stores of leases have in common.
     *
     * @param prefix the namespace; stores with different prefixes are independent
     * @param maxLease the longest lease and the length of a quiet period
     * @param timeout how long an operation may take
     */
    public record StoreSettings(String prefix, Duration maxLease, Duration timeout) {

        /** The longest lease if the URL names none. */
        public static final Duration DEFAULT_MAX_LEASE = Duration.ofMinutes(5);

        private static final Duration LONGEST = Duration.ofDays(30);
        private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9._-]{1,64}");

        public StoreSettings {
            if (!PREFIX.matcher(prefix).matches()) {
                throw new InvalidSettingException(
                        "prefix",
                        prefix,
                        "must be 1 to 64 characters of A-Z a-z 0-9 . _ -",
                        "choose a plain identifier");
            }
            requireBetween("maxLease", maxLease, LeaseTerms.MIN_TTL, LONGEST);
            requireBetween("timeout", timeout, Duration.ofMillis(50), LONGEST);
        }

        /** The settings in {@code url}, with defaults. */
        public static StoreSettings of(StoreUrl url) {
            return new StoreSettings(
                    url.option("prefix", "interlock"),
                    url.duration("maxLease", DEFAULT_MAX_LEASE),
                    url.duration("timeout", Duration.ofSeconds(5)));
        }

        /** {@code value}, if it is neither too short nor too long. */
        public static Duration requireBetween(String setting, Duration value, Duration shortest, Duration longest) {
            if (value.compareTo(shortest) < 0 || value.compareTo(longest) > 0) {
                throw new InvalidSettingException(
                        setting,
                        DurationText.format(value),
                        "must be from " + DurationText.format(shortest) + " to " + DurationText.format(longest),
                        "remove it for the default");
            }
            return value;
        }
    }
}
