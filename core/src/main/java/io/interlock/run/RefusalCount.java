package io.interlock.run;

import io.interlock.ConflictPolicy;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * How often, in one minute and by one process, submissions under a key started nothing new.
 *
 * @param key which key
 * @param node which process counted
 * @param minute the beginning of the minute
 * @param policy the policy they came with
 * @param outcome what they got
 * @param count how many, so far
 * @param last what the last one was told, or which run it was about
 */
public record RefusalCount(
        LockKey key, String node, Instant minute, ConflictPolicy policy, Outcome outcome, long count, String last) {

    /** What a submission gets that starts nothing new at once, or ends somebody's wait. */
    public enum Outcome {
        /** An error. */
        REJECTED,
        /** No error, and no run. */
        SKIPPED,
        /** Somebody's run. */
        JOINED,
        /** A place in line, taken from others or from the incumbent. */
        REPLACED,
        /** The run of the same request before. */
        DUPLICATE
    }

    /** Checks the numbers, and cuts what was said last if it is too long. */
    public RefusalCount {
        RunTexts.require("node", node, "name the process that counts");
        if (count < 1) {
            throw new InvalidSettingException("count", count, "must be at least 1", "leave out what did not happen");
        }
        if (!minute.truncatedTo(ChronoUnit.MINUTES).equals(minute)) {
            throw new InvalidSettingException("minute", minute, "is not the beginning of one", "truncate it");
        }
        if (last.length() > RunTexts.MAX_LINE / 4) {
            last = last.substring(0, RunTexts.MAX_LINE / 4 - 1) + "…";
        }
    }
}
