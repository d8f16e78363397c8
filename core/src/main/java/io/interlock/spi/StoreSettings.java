package io.interlock.spi;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseTerms;
import java.time.Duration;
import java.util.regex.Pattern;

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
                    "prefix", prefix, "must be 1 to 64 characters of A-Z a-z 0-9 . _ -", "choose a plain identifier");
        }
        requireBetween("maxLease", maxLease, LeaseTerms.MIN_TTL);
        requireBetween("timeout", timeout, Duration.ofMillis(50));
    }

    /** The settings in {@code url}, with defaults. */
    public static StoreSettings of(StoreUrl url) {
        return new StoreSettings(
                url.option("prefix", "interlock"),
                url.duration("maxLease", DEFAULT_MAX_LEASE),
                url.duration("timeout", Duration.ofSeconds(5)));
    }

    private static void requireBetween(String setting, Duration value, Duration shortest) {
        if (value.compareTo(shortest) < 0 || value.compareTo(LONGEST) > 0) {
            throw new InvalidSettingException(
                    setting,
                    DurationText.format(value),
                    "must be from " + DurationText.format(shortest) + " to " + DurationText.format(LONGEST),
                    "remove it for the default");
        }
    }
}
