package io.interlock.engine;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.LeaseId;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.Attempt.Claimed;
import io.interlock.run.Attempt.FinishAnswer;
import io.interlock.run.Attempt.HeartbeatAnswer;
import io.interlock.run.Attempt.TurnAnswer;
import io.interlock.run.Ending;
import io.interlock.run.JobName;
import io.interlock.run.RunStatus.Progress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * For workers and callers in other processes that come in through this one, over HTTP for example. The engine passes their
 * steps on, those made at the same time together, and keeps nothing alive for them: their heartbeats are their own. No step
 * takes a thread while it waits; cancelling the future of a stage ends the wait. Every step may be repeated with the same ids
 * after an unclear answer.
 *
 * <p>A stage may complete on the thread that answers other steps, too: what depends on it must be quick or run elsewhere.
 */
public interface RemoteWork {

    /**
     * Who asks, and for which grant.
     *
     * @param lease the name of the grant to come, made by the caller
     */
    record Caller(LeaseId lease, Holder holder) {}

    /**
     * A worker asks for work.
     *
     * @param id the name of this claim, made by the worker; asking again with it returns the runs already taken
     * @param tenant whose runs, or {@code null} for those of any tenant
     * @param max how many runs it takes, 1 to 100
     */
    record Claim(UUID id, Holder worker, @Nullable String tenant, Set<JobName> jobs, int max) {

        public Claim {
            jobs = Set.copyOf(jobs);
        }
    }

    /** What proves that a process may report on a run. */
    record Proof(RunId run, LockKey key, LeaseId lease, FencingToken token) {}

    /** Asks for a run whose work {@code caller} does itself. */
    CompletionStage<Submission> submit(RunRequest request, Caller caller);

    /** Gives a waiting caller its turn, if that comes within {@code wait}. */
    CompletionStage<TurnAnswer> takeTurn(RunId run, LockKey key, Caller caller, Duration wait);

    /** Takes runs whose turn it is; waits for up to {@code wait} if there are none. */
    CompletionStage<List<Claimed>> claim(Claim claim, Duration wait);

    /** "I am alive, and still have the right": renews the lease by the run's ttl, and reports. */
    CompletionStage<HeartbeatAnswer> heartbeat(Proof proof, @Nullable String stage, @Nullable Progress progress);

    /**
     * Keeps the end of what the work has to say, for people.
     *
     * @return whether the proof was that of the run's current or last attempt; if not, nothing was changed
     */
    CompletionStage<Boolean> keepOutput(Proof proof, String text);

    /** Says that the work of an attempt has stopped, and how it ended. */
    CompletionStage<FinishAnswer> finish(Proof proof, Ending ending);
}
