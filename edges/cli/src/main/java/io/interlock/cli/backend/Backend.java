package io.interlock.cli.backend;

import io.interlock.LockKey;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.cli.text.Shown;
import io.interlock.cli.text.Shown.ShellWords;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.run.RunQuery;
import io.interlock.service.Facts;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A store or a server that carries out commands. Safe for use by many threads. */
public interface Backend extends AutoCloseable {

    /** For {@code interlock run}. */
    KeyAcquirer acquirer();

    LockApi locks();

    RunApi runs();

    LeaseApi leases();

    KeyApi keys();

    AdminApi admin();

    /** Gives up connections. */
    @Override
    void close();

    /** Locks, evictions and pauses. Every answer is a lock as in REST, unless said otherwise. */
    interface LockApi {

        /** How many keys are listed at the most. */
        int MAX_LISTED = RunQuery.MAX_LIMIT;

        /** The first {@link #MAX_LISTED} keys that are held or waited for, of names that begin with {@code prefix}. */
        List<Facts> list(String prefix);

        Facts show(String key);

        /**
         * Evicts a lease, if it still has this token.
         *
         * @return {@code releasedToken, opensAt, nextRun?}
         */
        Facts evict(String key, long token, String reason);

        /**
         * Stops new grants under a key, or under all names with a prefix and {@code *}.
         *
         * @param time how long, or {@code null} until it is resumed
         * @return {@code key} or {@code pattern}, {@code paused, pausedBy, reason, until?}
         */
        Facts pause(String pattern, String reason, @Nullable Duration time);

        /** Ends a pause. */
        void resume(String pattern, String reason);
    }

    /** Runs. Every answer is a run as in REST, unless said otherwise. */
    interface RunApi {

        /**
         * Which runs to list; {@code null} for any.
         *
         * @param holder only those whose last attempt had this holder
         * @param label only those with this label, such as {@code team=finance}
         * @param error only those that failed with this error code
         * @param since only those submitted at this {@linkplain io.interlock.service.PastTime time} or later
         * @param failedSince only those that failed at this time or later
         */
        record Filter(
                @Nullable String key,
                @Nullable String state,
                @Nullable String job,
                @Nullable String holder,
                @Nullable String label,
                @Nullable String error,
                @Nullable String since,
                @Nullable String failedSince,
                int limit) {}

        /**
         * A run that a worker is to do.
         *
         * @param onConflict the policy if the key is taken, or {@code null} for the job's
         * @param parameters JSON text
         * @param idempotencyKey marks repetitions of the same request, or {@code null}
         * @param priority from −100 to 100
         */
        record Wish(
                String key,
                String job,
                @Nullable String onConflict,
                String parameters,
                @Nullable String reason,
                @Nullable String idempotencyKey,
                int priority) {}

        /** The newest first. */
        List<Facts> list(Filter filter);

        /** Dead letters that are not settled, the newest first; only of {@code job}, unless it is {@code null}. */
        List<Facts> dead(@Nullable String job, int limit);

        /** One run with its attempts, stages, parameters and output. */
        Facts show(String id);

        /** One run, when it has ended or {@code maxWait} is over. */
        Facts await(String id, Duration maxWait) throws InterruptedException;

        /** How many queued runs of one key are listed at the most. */
        int MAX_QUEUED = RunQuery.MAX_LIMIT;

        /**
         * Queued runs of {@code key} from the front; with {@code null}, of all keys: {@code key, place, id, job, submittedBy, priority,
         * waitingSince, startsAt?, …}.
         */
        List<Facts> queue(@Nullable String key);

        Facts submit(Wish wish);

        /** Submits the same as an earlier run once more. */
        Facts rerun(String id, String reason);

        Facts cancel(String id, String reason);

        /** Moves a waiting run before all others of its key that are ready. */
        Facts front(String id, String reason);

        /** Submits a new run for a dead letter. */
        Facts redrive(String id, String reason);

        /** Settles a dead letter without a new run. */
        Facts discard(String id, String reason);
    }

    /** Leases without runs, for scripts that cannot wrap a command. */
    interface LeaseApi {

        /**
         * What proves a lease.
         *
         * @param leaseId a secret of its holder
         */
        record Proof(LockKey key, String leaseId, long token) {}

        /** {@code key, leaseId, token, expiresAt, heartbeatEvery}. */
        Facts acquire(LockKey key, Duration ttl, Duration wait) throws InterruptedException;

        /** Extends a lease; the answer is as of {@link #acquire}. */
        Facts renew(Proof proof, Duration ttl);

        /** Gives a lease back; may be repeated. */
        void release(Proof proof);
    }

    interface KeyApi {

        /** Makes a key: {@code id, tenant, role, label, createdAt, expiresAt?, active, apiKey}; the last is shown nowhere else. */
        Facts create(String role, String label, @Nullable Duration lifetime);

        /** All of the tenant, without their secrets. */
        List<Facts> list();

        void revoke(String id, String reason);
    }

    /** Resources, audit log, workers, jobs and the janitor. */
    interface AdminApi {

        /**
         * What is known about an audit log from outside its store.
         *
         * @param witnesses links that were written down earlier
         * @param key signs the log, or {@code null}; a server has its own
         * @param keptFor how long records are kept, or {@code null}; a server knows it
         */
        record Evidence(
                List<Witness> witnesses,
                @Nullable AuditKey key,
                @Nullable Duration keptFor) {}

        /**
         * Which audit records to list; {@code null} for any.
         *
         * @param since only those of this {@linkplain io.interlock.service.PastTime time} or later
         * @param until only those before this time
         */
        record AuditFilter(
                @Nullable String key,
                @Nullable String run,
                @Nullable String action,
                @Nullable String since,
                @Nullable String until,
                int limit) {}

        /** Audit records, the newest first. */
        List<Facts> audit(AuditFilter filter);

        /** Checks the whole audit log: {@code clean, records, findings, head, sentence}. */
        Facts verifyAudit(Evidence evidence);

        /** Signs the audit log as it is now: {@code signed}, the last link. */
        Facts signAudit(AuditKey key);

        List<Facts> jobs();

        /** A server's {@code sweeps} (each {@code sweep, at, actions, skipped?}), {@code nextAt?} and {@code every?}; on a store, what is due. */
        Facts janitor();

        /** Sweeps now, or lists what is due: {@code sweeps}, as above. */
        Facts sweep(boolean dryRun);

        /** The resource of a guarded key: {@code key, kind, state, version, …}. */
        Facts resource(String key);

        /**
         * Sets the state of a resource whose key is free.
         *
         * @param kind its kind, or {@code null} for the kind it has, else the first part of the key
         */
        Facts setResource(String key, String state, @Nullable String kind, String reason);

        /** What goes on, all of one moment, and what needs attention. */
        Facts summary();

        /** What became of runs in the last hour, by minutes. */
        Facts history();

        /** Processes that take work. */
        List<Facts> workers();
    }

    /** The failure of a rerun whose work no worker can do. */
    static Failure doneByCaller(String id, String key) {
        return new Failure(
                ExitCode.FAILED,
                "run " + id + " was done by its caller, and only the caller can do it again",
                "type the command again: interlock run " + key + " -- …");
    }

    /** The failure of an acquire whose key is held. */
    static Failure busy(LockKey key, String code, String explanation) {
        return new Failure(
                ExitCode.BUSY,
                code,
                Shown.sentence(Facts.with("key", key.name()).and("explanation", explanation)),
                "wait for it: interlock acquire --wait 30s " + ShellWords.join(List.of(key.name())));
    }

    /** What is due for a sweep: one entry whose actions are the {@code key, run?, why} of {@code due}. */
    static Facts due(List<Facts> due) {
        return Facts.with("sweeps", List.of(Facts.with("sweep", "due").and("actions", due)));
    }
}
