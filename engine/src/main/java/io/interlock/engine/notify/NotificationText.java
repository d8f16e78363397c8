package io.interlock.engine.notify;

import io.interlock.DurationText;
import io.interlock.run.AuditRecord;
import io.interlock.run.Run;
import io.interlock.run.RunError;
import org.jspecify.annotations.Nullable;

/** What happened and what to do, in one sentence made of facts. */
final class NotificationText {

    private NotificationText() {}

    static String of(
            NotificationKind kind,
            AuditRecord record,
            @Nullable Run run,
            Notification.@Nullable Subject subject,
            @Nullable RunError error) {
        String who = subject == null ? record.key().toString() : name(subject) + " under " + record.key();
        String why = error == null ? record.reason() : error.code() + ", " + error.message();
        return switch (kind) {
            case DEAD_LETTER ->
                who + " used up its attempts" + attempts(run) + ", the last one by " + why + "; redrive or discard it";
            case DEAD_LETTER_WAITING -> who + " waits as a dead letter; redrive or discard it";
            case LEASE_LOST -> who + " lost its worker: " + why + "; the run is " + record.after() + " now";
            case LOCK_STATE_LOST ->
                who + " counted as running, but nobody had its lease; it is FAILED, look after what"
                        + " it was working on";
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
        return "run " + run.id() + " of " + run.job() + " under " + run.key() + " is a dead letter, and nobody has done"
                + " anything about it since " + run.status().since() + "; redrive or discard it";
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
        return run == null
                ? ""
                : run.spec()
                        .limits()
                        .runtimeLimit()
                        .map(limit -> " of " + DurationText.format(limit))
                        .orElse("");
    }

    private static String at(Notification.@Nullable Subject subject) {
        return subject == null || subject.stage() == null ? "" : ", at stage " + subject.stage();
    }
}
