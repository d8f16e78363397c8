package io.interlock.run;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A worker process, as of its last report.
 *
 * @param tenant the tenant whose runs it claims, or {@code null} for all tenants
 * @param slots how many runs it executes at once
 * @param version its version of Interlock, or {@value #REMOTE}
 * @param seenAt when it reported, by the store's clock; the store ignores the given value
 */
public record WorkerNote(
        Holder worker,
        @Nullable String tenant,
        Set<JobName> jobs,
        int slots,
        int busy,
        String version,
        Instant seenAt) {

    /** The version of a remote worker: it claims through another engine, which does not count its busy slots. */
    public static final String REMOTE = "remote";

    /** How many remote workers of one tenant are kept, so that workers with ever new names cannot fill the store. */
    public static final int MOST_REMOTE = 200;

    /** How long an inactive remote worker is kept, regardless of the retention of history. */
    public static final Duration REMOTE_KEPT = Duration.ofHours(1);

    public WorkerNote {
        jobs = Set.copyOf(jobs);
        RunTexts.require("version", version, "give its version");
        if (slots < 1 || busy < 0) {
            throw new InvalidSettingException(
                    "slots", busy + " of " + slots, "needs at least one slot, and no negative number", "correct it");
        }
    }

    /** Whether it claims runs of {@code tenant}. */
    public boolean worksFor(String tenant) {
        return this.tenant == null || this.tenant.equals(tenant);
    }

    /** Whether it claims through another engine. */
    public boolean isRemote() {
        return version.equals(REMOTE);
    }

    /** The same worker, reported at {@code moment}. */
    public WorkerNote at(Instant moment) {
        return new WorkerNote(worker, tenant, jobs, slots, busy, version, moment);
    }
}
