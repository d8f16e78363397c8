package io.interlock.spi;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
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

    private static final Pattern PASSWORD = Pattern.compile("(//[^:@/]*):.*@");

    /** {@code //user:begin-of-a-password/rest-of-it@…}: a password with a character that ends the host. */
    private static final Pattern CUT_PASSWORD = Pattern.compile("//[^/?@]*:[^/?@]*/[^?]*@.*");

    /** The same with a question mark; ports may be followed by options with an {@code @}. */
    private static final Pattern CUT_BY_OPTIONS = Pattern.compile("//[^/?@]*:(?!\\d{1,5}[/?,])[^/?@\\]]*\\?.*@.*");

    public StoreUrl {
        options = Map.copyOf(options);
    }

    /** Parses {@code url}. */
    public static StoreUrl parse(String url) {
        int colon = url.indexOf(':');
        if (colon <= 0) {
            throw new InvalidSettingException(
                    "store",
                    mask(url),
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

    @Override
    public String toString() {
        return mask(scheme + ":" + rest);
    }

    private static String mask(String url) {
        return PASSWORD.matcher(url).replaceAll("$1:***@");
    }

    private static void addOption(Map<String, String> options, String url, String pair) {
        int equals = pair.indexOf('=');
        if (equals <= 0) {
            throw new InvalidSettingException(
                    "store", mask(url), "has the option '" + pair + "' without a value", "write ?option=value&…");
        }
        String name = URLDecoder.decode(pair.substring(0, equals), StandardCharsets.UTF_8);
        String value = URLDecoder.decode(pair.substring(equals + 1), StandardCharsets.UTF_8);
        if (options.put(name, value) != null) {
            throw new InvalidSettingException(
                    "store", mask(url), "has the option '" + name + "' twice", "remove one of them");
        }
    }
}
