package io.interlock.spi.run;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.run.RunStatus.Progress;
import io.interlock.run.RunTexts;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The steps of workers: learn of runs, claim them, renew their leases, store their output, finish them. See
 * {@link RunStore} for the general rules.
 */
public interface WorkSteps {

    /**
     * Calls {@code lookAgain} whenever a run of {@code tenant}, or of any tenant if {@code null}, may have become
     * claimable. It is called on a thread of the store and must not block. Like those of {@link ChangeFeed}, these
     * wake-ups are hints.
     */
    ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable lookAgain);

    /** Claims runs that may start, those of a tenant in the order of {@code QueueRules.ORDER}. */
    List<Claimed> claim(ClaimRequest request);

    /** Renews the leases of runs, and stores their reports. */
    Answers<HeartbeatAnswer> heartbeat(List<HeartbeatRequest> requests);

    /**
     * Replaces the stored end of the output of an attempt. That of earlier attempts stays, up to
     * {@value OutputNote#MOST_ATTEMPTS} of them.
     *
     * @return whether lease id and token belong to the run's current or last attempt; if not, nothing was changed
     */
    boolean keepOutput(OutputNote note);

    /**
     * Ends attempts; the next run in the queue gets the key in the same step. A repeated finish gets the first answer
     * until the run begins another attempt; after that its lease is gone. Where {@link #claimsNext}, a worker may take
     * that next run by the same step.
     */
    Answers<FinishAnswer> finish(List<FinishRequest> requests);

    /** Whether a finish takes the next run of its key for its worker, if asked to. */
    boolean claimsNext();

    /**
     * A worker claims runs.
     *
     * @param id the id of this claim, created by the worker; if the same worker repeats it, it gets the runs already
     * claimed
     * @param tenant the tenant of the runs, or {@code null} for all tenants, which take turns
     * @param max the maximum number of runs, 1 to {@value #MOST}
     */
    record ClaimRequest(UUID id, Holder holder, @Nullable String tenant, Set<JobName> jobs, int max) {

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

    /**
     * Renews the lease by the run's ttl, and reports stage and progress.
     *
     * @param stage the current stage, or {@code null} for no report
     * @param progress the progress, or {@code null} for no report
     */
    record HeartbeatRequest(
            RunId run,
            LockKey key,
            LeaseId lease,
            FencingToken token,
            @Nullable String stage,
            @Nullable Progress progress) {

        public HeartbeatRequest {
            if (stage != null) {
                RunTexts.require("stage", stage, "name the part of the work in one line");
            }
        }
    }

    /**
     * The end of the output of an attempt so far.
     *
     * @param text at most 64 KiB
     */
    record OutputNote(RunId run, LockKey key, LeaseId lease, FencingToken token, String text) {

        /** Of how many attempts of a run the output is kept, the last ones. */
        public static final int MOST_ATTEMPTS = 10;

        public OutputNote {
            RunTexts.body("output", text);
        }

        /** Whether lease id and token belong to the current or the last attempt of {@code run}. */
        public boolean isProofOf(Run run) {
            return run.id().equals(this.run)
                    && run.key().equals(key)
                    && run.status().isProvedBy(lease, token);
        }
    }

    /**
     * Reports that the work of an attempt has stopped, and its outcome.
     *
     * @param next the claim by which its worker takes the next run of the key in the same step, or {@code null} if it takes
     *     none; its limit of runs has no meaning here
     */
    record FinishRequest(
            RunId run,
            LockKey key,
            LeaseId lease,
            FencingToken token,
            Ending ending,
            @Nullable ClaimRequest next) {

        /** A report of a worker that takes no further run by it. */
        public FinishRequest(RunId run, LockKey key, LeaseId lease, FencingToken token, Ending ending) {
            this(run, key, lease, token, ending, null);
        }
    }
}
