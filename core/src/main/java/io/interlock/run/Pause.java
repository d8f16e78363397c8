package io.interlock.run;

import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An operator's word that nothing is granted under some keys. Leases held already go on.
 *
 * @param tenant whose keys
 * @param pattern the name of one key, or the beginning of names and a {@code *}: {@code pipeline/*}
 * @param actor who paused them
 * @param reason why
 * @param since since when, by the store's clock
 * @param until until when, or {@code null} until somebody resumes
 */
public record Pause(
        String tenant,
        String pattern,
        String actor,
        String reason,
        Instant since,
        @Nullable Instant until) {

    /** Checks the texts. */
    public Pause {
        requirePattern(pattern);
        RunTexts.require("actor", actor, "say who pauses the keys");
        RunTexts.require("reason", reason, "say why they are paused");
    }

    /** Refuses what can be no pattern, before a store keeps it. */
    public static String requirePattern(String pattern) {
        int star = pattern.indexOf('*');
        if (pattern.isBlank() || (star >= 0 && star < pattern.length() - 1)) {
            throw new InvalidSettingException(
                    "pattern", pattern, "must be a key's name, or end with its only *", "write it as pipeline/*");
        }
        return pattern;
    }

    /** When it ends by itself, if it does. */
    public Optional<Instant> end() {
        return Optional.ofNullable(until);
    }

    /** Whether {@code key} is one of those that are paused. */
    public boolean covers(LockKey key) {
        if (!key.tenant().equals(tenant)) {
            return false;
        }
        return pattern.endsWith("*")
                ? key.name().startsWith(pattern.substring(0, pattern.length() - 1))
                : key.name().equals(pattern);
    }

    /** Whether it has not ended by itself at {@code now}. */
    public boolean lastsAt(Instant now) {
        return until == null || until.isAfter(now);
    }
}
