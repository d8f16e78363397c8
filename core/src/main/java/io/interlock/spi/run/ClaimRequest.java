package io.interlock.spi.run;

import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.RunId;
import io.interlock.run.JobName;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A worker claims runs.
 *
 * @param id the id of this claim, created by the worker; if the same worker repeats it, it gets the runs already
 * claimed
 * @param tenant the tenant of the runs, or {@code null} for all tenants, which take turns
 * @param max the maximum number of runs, 1 to {@value #MOST}
 */
public record ClaimRequest(UUID id, Holder holder, @Nullable String tenant, Set<JobName> jobs, int max) {

    /** The maximum number of runs of one claim. */
    public static final int MOST = 100;

    public ClaimRequest {
        jobs = Set.copyOf(jobs);
        if (max < 1 || max > MOST) {
            throw new InvalidSettingException("max", max, "must be from 1 to " + MOST, "claim again for more");
        }
    }

    /** Whether it includes runs of {@code tenant}. */
    public boolean wants(String tenant) {
        return this.tenant == null || this.tenant.equals(tenant);
    }

    /** The lease id of {@code run} under this claim: always the same. */
    public LeaseId leaseOf(RunId run) {
        return new LeaseId(UUID.nameUUIDFromBytes((id + "/" + run).getBytes(StandardCharsets.UTF_8)));
    }
}
