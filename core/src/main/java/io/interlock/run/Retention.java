package io.interlock.run;

import io.interlock.DurationText;
import io.interlock.InvalidSettingException;
import java.time.Duration;

/**
 * How long history is kept.
 *
 * @param runs ended runs, with attempts, output and refusal counts; at least as long as idempotency keys
 * @param audit audit records; only those that are sealed, oldest first, without gaps
 */
public record Retention(Duration runs, Duration deadLetters, Duration audit) {

    // Before the default, which is checked against it.
    private static final Duration SHORTEST = Duration.ofHours(1);

    /** Runs 30 days, dead letters 14 days more than that, audit records 400 days. */
    public static final Retention DEFAULT =
            new Retention(Duration.ofDays(30), Duration.ofDays(44), Duration.ofDays(400));

    public Retention {
        require("history.runs", runs);
        require("history.dead-letters", deadLetters);
        require("history.audit", audit);
    }

    private static void require(String setting, Duration time) {
        if (time.compareTo(SHORTEST) < 0) {
            throw new InvalidSettingException(
                    setting,
                    DurationText.format(time),
                    "is below " + DurationText.format(SHORTEST),
                    "raise it, so that users can still see what happened");
        }
    }
}
