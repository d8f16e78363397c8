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
 * A worker asks for work.
 *
 * @param id the name of this claim, made by the worker; if the same worker asks again with it, it gets the runs already taken
 * @param holder who asks
 * @param tenant whose runs, or {@code null} for those of any tenant, each having its turn
 * @param jobs what it can do
 * @param max how many runs it takes, 1 to {@value #MOST}
 */
public record ClaimRequest(UUID id, Holder holder, @Nullable String tenant, Set<JobName> jobs, int max) {

    /** The most runs of one claim. */
    public static final int MOST = 100;

    /** Checks the number. */
    public ClaimRequest {
        jobs = Set.copyOf(jobs);
        if (max < 1 || max > MOST) {
            throw new InvalidSettingException("max", max, "must be from 1 to " + MOST, "claim again for more");
        }
    }

    /** Whether it asks for runs of {@code tenant} too. */
    public boolean wants(String tenant) {
        return this.tenant == null || this.tenant.equals(tenant);
    }

    /** The name of the grant by which this claim takes {@code run}: always the same. */
    public LeaseId leaseOf(RunId run) {
        return new LeaseId(UUID.nameUUIDFromBytes((id + "/" + run).getBytes(StandardCharsets.UTF_8)));
    }
}
