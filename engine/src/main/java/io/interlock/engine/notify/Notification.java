package io.interlock.engine.notify;

import io.interlock.FencingToken;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.RunError;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Something that was worth telling.
 *
 * @param id the same whenever it is told again, so that whoever hears it twice can tell
 * @param kind what kind of thing
 * @param at when it happened, by the store's clock
 * @param key where
 * @param subject which run, or {@code null} if it was no run's
 * @param error what went wrong, or {@code null}
 * @param explanation all of it in one sentence, for people
 */
public record Notification(
        String id,
        NotificationKind kind,
        Instant at,
        LockKey key,
        @Nullable Subject subject,
        @Nullable RunError error,
        String explanation) {

    /**
     * A run, and which attempt of it.
     *
     * @param run its name
     * @param job the kind of work, or {@code null} if the run has been forgotten since
     * @param attempt which attempt, or 0 if that is not known
     * @param token that attempt's proof of turn, or {@code null} if that is not known
     * @param stage the part of the work it was at, or {@code null} if that is not known
     */
    public record Subject(
            RunId run,
            @Nullable JobName job,
            int attempt,
            @Nullable FencingToken token,
            @Nullable String stage) {}
}
