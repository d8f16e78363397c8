package io.interlock.cli.backend;

import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Failure;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.run.RunQuery;
import io.interlock.service.Facts;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A store or a server that carries out commands. Requests and answers have the fields of REST; every answer about a key is a lock, and
 * every answer about a run is a run, unless said otherwise. Safe for use by many threads.
 */
public interface Backend extends AutoCloseable {

    /** How many keys, or queued runs of one key, are listed at the most. */
    int MAX_LISTED = RunQuery.MAX_LIMIT;

    /** For {@code interlock run}. */
    KeyAcquirer acquirer();

    /** The first {@link #MAX_LISTED} keys that are held or waited for, of names that begin with {@code prefix}. */
    List<Facts> locks(String prefix);

    Facts lock(String key);

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
    default Facts pause(String pattern, String reason, @Nullable Duration time) {
        throw leasesOnly("pauses");
    }

    default void resume(String pattern, String reason) {
        throw leasesOnly("pauses");
    }

    BareLeases leases();

    default RunApi runs() {
        throw leasesOnly("runs, no queue and no dead letters");
    }

    default KeyApi keys() {
        throw leasesOnly("API keys");
    }

    default AdminApi admin() {
        throw leasesOnly("audit log, no jobs and no janitor");
    }

    /** Gives up connections. */
    @Override
    void close();

    private static Failure leasesOnly(String what) {
        return new Failure(
                ExitCode.CONFIGURATION,
                "needs-run-store",
                "this store keeps leases only; it has no " + what,
                Failure.RUN_STORE);
    }

    interface RunApi {

        /**
         * The first {@code limit} runs, the newest first.
         *
         * @param filter {@code key?, state?, job?, holder?, label?, error?, since?, failedSince?}
         */
        List<Facts> list(Facts filter, int limit);

        /** Dead letters that are not settled, the newest first; only of {@code job}, unless it is {@code null}. */
        List<Facts> dead(@Nullable String job, int limit);

        /** One run with its attempts, stages, parameters and output. */
        Facts show(String id);

        /** One run, when it has ended or {@code maxWait} is over. */
        Facts await(String id, Duration maxWait) throws InterruptedException;

        /**
         * Queued runs of {@code key} from the front; with {@code null}, of all keys: {@code key, place, id, job, submittedBy, priority,
         * waitingSince, startsAt?, …}.
         */
        List<Facts> queue(@Nullable String key);

        /**
         * Submits a run for a worker.
         *
         * @param wish {@code key, job, onConflict?, parameters, reason?, idempotencyKey?, priority}
         */
        Facts submit(Facts wish);

        Facts order(Order order, String id, String reason);

        enum Order {
            /** Submits the same once more. */
            RERUN,
            CANCEL,
            /** Moves a waiting run before all others of its key that are ready. */
            FRONT,
            /** Submits a new run for a dead letter. */
            REDRIVE,
            /** Settles a dead letter without a new run. */
            DISCARD
        }

        /** The failure of a rerun whose work no worker can do. */
        static Failure doneByCaller(String id, String key) {
            return new Failure(
                    ExitCode.FAILED,
                    "run " + id + " was done by its caller, and only the caller can do it again",
                    "type the command again: interlock run " + key + " -- …");
        }
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
         * The first {@code limit} audit records, the newest first.
         *
         * @param filter {@code key?, run?, action?, since?, until?}
         */
        List<Facts> audit(Facts filter, int limit);

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

        /** What is due for a sweep: one entry whose actions are the {@code key, run?, why} of {@code due}. */
        static Facts due(List<Facts> due) {
            return Facts.with("sweeps", List.of(Facts.with("sweep", "due").and("actions", due)));
        }
    }
}
