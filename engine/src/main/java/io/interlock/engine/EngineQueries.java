package io.interlock.engine;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditReport;
import io.interlock.engine.audit.AuditVerifier;
import io.interlock.engine.audit.Witness;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import io.interlock.run.RefusalCount;
import io.interlock.run.Resource;
import io.interlock.run.ResourceQuery;
import io.interlock.run.RunCount;
import io.interlock.run.WorkerNote;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What is on record beside the runs themselves, for people and for metrics. Safe for use by many threads. */
public interface EngineQueries {

    /** Audit records, the newest first. */
    List<AuditRecord> audit(AuditQuery query);

    /**
     * The audit log as a chain, from after {@code position} on: only records that are there for good, in an order that no
     * longer changes. So a reader that goes on from the last position misses nothing, on whichever engine.
     *
     * @param position the place of the last link that was read; 0 to begin at the first
     */
    ChainPage chain(long position, int limit);

    /** Checks the whole audit log: whether it was changed, and whether grants overlap. May take long. */
    default AuditReport verifyAudit() {
        return verifyAudit(List.of());
    }

    /**
     * Looks at the whole audit log, and compares it with links that were written down outside the store, with this engine's
     * {@linkplain EngineBuilder#auditKey key} if it has one, and with how long this engine keeps records. May take long.
     */
    AuditReport verifyAudit(List<Witness> witnesses);

    /** Looks at the whole audit log, and compares it with what the caller knows from outside the store. May take long. */
    AuditReport verifyAudit(AuditVerifier.Outside outside);

    /**
     * Signs the audit log as it is now, whatever was signed before: for a log that was begun without a key, or gets another one.
     *
     * @return the link that was signed
     */
    Witness signAudit(AuditKey key);

    /** The end of what a run had to say, if it said anything. */
    Optional<String> output(RunId run);

    /** How often submissions under a key started nothing new, in minutes beginning at {@code since} or later. */
    List<RefusalCount> refusals(LockKey key, Instant since);

    /**
     * Processes that take work of {@code tenant} and were there within {@code time}: up to {@code limit}, those that were
     * there last first. Of those that are no engines, at most {@link WorkerNote#MOST_REMOTE} are on record.
     */
    List<WorkerNote> workers(String tenant, Duration time, int limit);

    /** What time it is by the clock that all times on record are from. */
    Instant time();

    /** Keys that are held, that are kept for a run, or that runs wait for, in the order of their names. */
    List<KeyView> keys(KeyQuery query);

    /** How many runs there are in states that are not the end, and how many open dead letters. */
    List<RunCount> runCounts();

    /** Pauses in force, of one tenant or, with {@code null}, of all. */
    List<Pause> pauses(@Nullable String tenant);

    /** Resources of a kind, of all tenants, in the order of their keys. */
    List<Resource> resources(ResourceQuery query);
}
