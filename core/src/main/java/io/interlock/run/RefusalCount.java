package io.interlock.run;

import io.interlock.ConflictPolicy;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * How many submissions under a key started nothing new, in one minute and process.
 *
 * @param last the explanation or the run of the last one
 */
public record RefusalCount(
        LockKey key, String node, Instant minute, ConflictPolicy policy, Outcome outcome, long count, String last) {

    /** The outcome of a submission that starts nothing new at once, or ends the wait of another run. */
    public enum Outcome {
        /** Rejected with an error. */
        REJECTED,
        /** Skipped without an error. */
        SKIPPED,
        /** Joined an existing run. */
        JOINED,
        /** Queued, replacing other runs or the incumbent. */
        REPLACED,
        /** A duplicate of an earlier request. */
        DUPLICATE
    }

    /** Checks the numbers, and truncates {@code last}. */
    public RefusalCount {
        RunTexts.require("node", node, "name the counting process");
        if (count < 1) {
            throw new InvalidSettingException("count", count, "must be at least 1", "omit zero counts");
        }
        if (!minute.truncatedTo(ChronoUnit.MINUTES).equals(minute)) {
            throw new InvalidSettingException("minute", minute, "is not the beginning of one", "truncate it");
        }
        if (last.length() > RunTexts.MAX_LINE / 4) {
            last = last.substring(0, RunTexts.MAX_LINE / 4 - 1) + "…";
        }
    }
}
