package io.interlock.engine.notify;

import io.interlock.DurationText;
import io.interlock.FencingToken;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.http.JsonObject;
import io.interlock.run.AuditRecord;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Something that was worth telling.
 *
 * @param id the same whenever it is told again, so that a receiver recognises a repetition
 * @param subject which run, or {@code null} if it was no run's
 * @param error what went wrong, or {@code null}
 * @param explanation all of it in one sentence, for people
 */
public record Notification(
        String id,
        Kind kind,
        Instant at,
        LockKey key,
        @Nullable Subject subject,
        @Nullable RunError error,
        String explanation) {

    private static final int MAX_TEXT = 1000;

    /**
     * A run, and which attempt of it.
     *
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

    /** This as JSON: {@code {type, timestamp, data}}, under 20 kB. */
    String json() {
        JsonObject data = new JsonObject().with("tenant", key.tenant()).with("key", key.name());
        if (subject != null) {
            data.with("runId", subject.run())
                    .with("job", subject.job())
                    .with("attempt", subject.attempt() > 0 ? subject.attempt() : null)
                    .with(
                            "token",
                            subject.token() == null ? null : subject.token().value())
                    .with("stage", subject.stage());
        }
        if (error != null) {
            data.with("error", new JsonObject().with("code", error.code()).with("message", cut(error.message())));
        }
        data.with("explanation", cut(explanation));
        return new JsonObject()
                .with("type", kind.word())
                .with("timestamp", at)
                .with("data", data)
                .toString();
    }

    private static String cut(String text) {
        return text.length() > MAX_TEXT ? text.substring(0, MAX_TEXT - 1) + "…" : text;
    }

    /** What happened and what to do, in one sentence made of facts. */
    static final class Text {

        private Text() {}

        static String of(
                Kind kind,
                AuditRecord record,
                @Nullable Run run,
                Notification.@Nullable Subject subject,
                @Nullable RunError error) {
            String who = subject == null ? record.key().toString() : name(subject) + " under " + record.key();
            String why = error == null ? record.reason() : error.code() + ", " + error.message();
            return switch (kind) {
                case DEAD_LETTER ->
                    who + " used up its attempts" + attempts(run) + ", the last one by " + why
                            + "; redrive or discard it";
                case DEAD_LETTER_WAITING -> who + " waits as a dead letter; redrive or discard it";
                case LEASE_LOST -> who + " lost its worker: " + why + "; the run is " + record.after() + " now";
                case LOCK_STATE_LOST ->
                    who + " counted as running without a lease; it is FAILED, look after what" + " it was working on";
                case OVERDUE -> who + " took longer than its max runtime" + limit(run) + at(subject);
                case EVICTED ->
                    record.actor() + " took the lease of " + who + " by force from " + record.before() + ": "
                            + record.reason();
                case OVERLAPPING_GRANTS ->
                    who + " had its key at the same time as another run and is FAILED: " + why
                            + "; look after what they were working on";
            };
        }

        /** The same whenever it is told, as its id is: so it does not say for how long. */
        static String waiting(Run run) {
            return "run " + run.id() + " of " + run.job() + " under " + run.key()
                    + " has waited as a dead letter since "
                    + run.status().since() + "; redrive or discard it";
        }

        private static String name(Notification.Subject subject) {
            String job = subject.job() == null ? "" : " of " + subject.job();
            String attempt = subject.attempt() == 0 ? "" : " (attempt " + subject.attempt() + ")";
            return "run " + subject.run() + job + attempt;
        }

        private static String attempts(@Nullable Run run) {
            return run == null ? "" : ", " + run.spec().retry().attempts();
        }

        private static String limit(@Nullable Run run) {
            Duration limit = run == null ? null : run.spec().limits().maxRuntime();
            return limit == null ? "" : " of " + DurationText.format(limit);
        }

        private static String at(Notification.@Nullable Subject subject) {
            return subject == null || subject.stage() == null ? "" : ", at stage " + subject.stage();
        }
    }

    /** What a rule may ask to be told of. */
    public enum Kind {
        /** A run used up its attempts. */
        DEAD_LETTER,
        /** A dead letter has waited for an hour. */
        DEAD_LETTER_WAITING,
        /** An attempt was lost: its lease ended before its work did. */
        LEASE_LOST,
        /** A run counted as running without a lease. */
        LOCK_STATE_LOST,
        /** A run took longer than its max runtime. */
        OVERDUE,
        /** A lease was taken by force. */
        EVICTED,
        /** Two runs had one key at a time. */
        OVERLAPPING_GRANTS;

        /** The word for it in settings and in what is sent: {@code dead-letter}. */
        public String word() {
            return name().toLowerCase(Locale.ROOT).replace('_', '-');
        }

        /**
         * The kind with that {@link #word()}.
         *
         * @throws InvalidSettingException if there is none
         */
        public static Kind parse(String word) {
            return Arrays.stream(values())
                    .filter(kind -> kind.word().equals(word))
                    .findFirst()
                    .orElseThrow(() -> new InvalidSettingException(
                            "notify on",
                            word,
                            "is not known",
                            "choose from "
                                    + Arrays.stream(values()).map(Kind::word).collect(Collectors.joining(", "))));
        }
    }
}
