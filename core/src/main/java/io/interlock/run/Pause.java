package io.interlock.run;

import io.interlock.Actor;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A pause by an operator, or a maintenance window: nothing is granted under some keys. Existing leases continue.
 *
 * @param pattern the name of one key, or a prefix followed by {@code *}: {@code pipeline/*}
 * @param until when it ends, or {@code null} if only a resume ends it
 */
public record Pause(
        String tenant,
        String pattern,
        String actor,
        String reason,
        Instant since,
        @Nullable Instant until) {

    private static final String UNTIL = "until ";

    /** The actor of the pauses that maintenance windows make; their reason is the window as it was written. */
    public static final String WINDOW = "maintenance window";

    public Pause {
        requirePattern(pattern);
        RunTexts.require("actor", actor, "name who pauses the keys");
        RunTexts.require("reason", reason, "give the reason of the pause");
    }

    /** Refuses an invalid pattern. */
    public static String requirePattern(String pattern) {
        int star = pattern.indexOf('*');
        if (pattern.isBlank() || (star >= 0 && star < pattern.length() - 1)) {
            throw new InvalidSettingException(
                    "pattern", pattern, "must be a key's name, or end with its only *", "write it as pipeline/*");
        }
        return pattern;
    }

    /** When it ends, if it has an end. */
    public Optional<Instant> end() {
        return Optional.ofNullable(until);
    }

    public boolean covers(LockKey key) {
        return key.tenant().equals(tenant) && covers(pattern, key);
    }

    /** Whether {@code pattern} of the key's tenant covers {@code key}. */
    public static boolean covers(String pattern, LockKey key) {
        return pattern.endsWith("*")
                ? key.name().startsWith(pattern.substring(0, pattern.length() - 1))
                : key.name().equals(pattern);
    }

    /** The keys that {@code pauses} name one by one, as far as they last at {@code now}; those of a prefix are not known. */
    public static Stream<String> ofOneKey(List<Pause> pauses, Instant now) {
        return pauses.stream()
                .filter(pause -> !pause.pattern.endsWith("*") && pause.lastsAt(now))
                .map(Pause::pattern);
    }

    /** Whether it is a maintenance window. */
    public boolean isWindow() {
        return actor.equals(WINDOW) && until != null;
    }

    /** Whether it is still in force at {@code now}. */
    public boolean lastsAt(Instant now) {
        return until == null || until.isAfter(now);
    }

    /**
     * The audit record of its beginning, under its pattern as if that were a key. It names the end, if there is one: a pause that ends by
     * itself leaves no other record.
     */
    public AuditRecord begins(Actor by) {
        return AuditRecord.of(
                since, LockKey.of(tenant, pattern), by, "paused", "", until == null ? "" : UNTIL + until, reason);
    }

    /** The audit record of the end of a pause by an actor. */
    public static AuditRecord resumed(String tenant, String pattern, Actor by, String reason, Instant now) {
        return AuditRecord.of(now, LockKey.of(tenant, pattern), by, "resumed", "", "", reason);
    }

    /** The end that the record of a pause names, if it does. */
    public static Optional<Instant> endIn(AuditRecord paused) {
        return paused.after().startsWith(UNTIL)
                ? Optional.of(Instant.parse(paused.after().substring(UNTIL.length())))
                : Optional.empty();
    }
}
