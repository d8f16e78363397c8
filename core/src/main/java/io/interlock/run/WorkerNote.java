package io.interlock.run;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A process that takes work, as it last said of itself.
 *
 * @param worker who it is
 * @param tenant whose runs it takes, or {@code null} for those of any tenant
 * @param jobs what it can do
 * @param slots how many runs it does at once
 * @param busy how many it does now
 * @param version which version of Interlock it is, or {@value #REMOTE}
 * @param seenAt when it said so, by the store's clock; whatever a worker puts here does not count
 */
public record WorkerNote(
        Holder worker,
        @Nullable String tenant,
        Set<JobName> jobs,
        int slots,
        int busy,
        String version,
        Instant seenAt) {

    /** The version of a worker that is no engine: it asks for work through one, and nobody counts for it how busy it is. */
    public static final String REMOTE = "remote";

    /** How many remote workers of one tenant are noted: whoever goes by ever new names is no burden to others. */
    public static final int MOST_REMOTE = 200;

    /** For how long a remote worker that no longer asks is noted, however long history is kept. */
    public static final Duration REMOTE_KEPT = Duration.ofHours(1);

    /** Checks the numbers. */
    public WorkerNote {
        jobs = Set.copyOf(jobs);
        RunTexts.require("version", version, "say which version it is");
        if (slots < 1 || busy < 0) {
            throw new InvalidSettingException(
                    "slots", busy + " of " + slots, "needs at least one slot, and none below zero", "count again");
        }
    }

    /** Whether it takes runs of {@code tenant}. */
    public boolean worksFor(String tenant) {
        return this.tenant == null || this.tenant.equals(tenant);
    }

    /** Whether it asks for work through somebody else's engine. */
    public boolean isRemote() {
        return version.equals(REMOTE);
    }

    /** The same, said at {@code moment}. */
    public WorkerNote at(Instant moment) {
        return new WorkerNote(worker, tenant, jobs, slots, busy, version, moment);
    }
}
