package io.interlock.run;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import java.time.Instant;
import java.util.Set;

/**
 * A process that takes work, as it last said of itself.
 *
 * @param worker who it is
 * @param jobs what it can do
 * @param slots how many runs it does at once
 * @param busy how many it does now
 * @param version which version of Interlock it is
 * @param seenAt when it said so, by the store's clock; whatever a worker puts here does not count
 */
public record WorkerNote(Holder worker, Set<JobName> jobs, int slots, int busy, String version, Instant seenAt) {

    /** Checks the numbers. */
    public WorkerNote {
        jobs = Set.copyOf(jobs);
        RunTexts.require("version", version, "say which version it is");
        if (slots < 1 || busy < 0) {
            throw new InvalidSettingException(
                    "slots", busy + " of " + slots, "needs at least one slot, and none below zero", "count again");
        }
    }
}
