package io.interlock.engine;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditKey.AuditSigner;
import io.interlock.engine.audit.AuditReport;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.engine.audit.AuditSealer;
import io.interlock.engine.audit.AuditVerifier;
import io.interlock.run.AuditChain.Seal;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Pause;
import io.interlock.run.RefusalCount;
import io.interlock.run.Resource;
import io.interlock.run.Resource.ResourceQuery;
import io.interlock.run.Retention;
import io.interlock.run.RunPeriod;
import io.interlock.run.RunPeriod.PeriodQuery;
import io.interlock.run.SearchQuery;
import io.interlock.run.SearchQuery.SearchResult;
import io.interlock.run.Summary;
import io.interlock.run.Summary.RunCount;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/** What is on record beside the runs themselves, for people and for metrics. Safe for use by many threads. */
public final class EngineQueries {

    private final RunStore store;
    private final AuditSealer sealer;
    private final Retention retention;
    private final @Nullable AuditKey auditKey;

    /** For engines only. */
    public EngineQueries(RunStore store, AuditSealer sealer, Retention retention, @Nullable AuditKey auditKey) {
        this.store = store;
        this.sealer = sealer;
        this.retention = retention;
        this.auditKey = auditKey;
    }

    /** Audit records, the newest first. */
    public List<AuditRecord> audit(AuditQuery query) {
        return store.audit().records(query);
    }

    /**
     * The audit log as a chain, from after {@code position} on: only records that are there for good, in an order that no
     * longer changes. So a reader that goes on from the last position misses nothing, on whichever engine.
     *
     * @param position the place of the last link that was read; 0 to begin at the first
     */
    public ChainPage chain(long position, int limit) {
        // Records wait for up to a second to be sealed; a reader of the chain does not.
        sealer.runOnce();
        Seal head = store.audit().head();
        List<ChainPage.Link> links = position >= head.position()
                ? List.of()
                : store.audit().sealed(position, limit).stream()
                        .map(link -> new ChainPage.Link(link.seal().position(), Optional.ofNullable(link.record())))
                        .toList();
        return new ChainPage(store.audit().anchor().position(), head.position(), links);
    }

    /**
     * Looks at the whole audit log, and compares it with links that were written down outside the store, with this engine's
     * {@linkplain EngineBuilder#auditKey key} if it has one, and with how long this engine keeps records. May take long.
     */
    public AuditReport verifyAudit(List<Witness> witnesses) {
        return verifyAudit(new AuditVerifier.Outside(witnesses, auditKey, auditKeptSince()));
    }

    /** Looks at the whole audit log, and compares it with what the caller knows from outside the store. May take long. */
    public AuditReport verifyAudit(AuditVerifier.Outside outside) {
        return new AuditVerifier(store.audit()).verify(outside);
    }

    /**
     * Signs the audit log as it is now, whatever was signed before: for a log that was begun without a key, or gets another one.
     */
    public Witness signAudit(AuditKey key) {
        return Witness.of(new AuditSigner(store.audit(), key).adopt(), null);
    }

    /** Since when audit records are kept: older ones may have been forgotten. */
    public Instant auditKeptSince() {
        return store.views().storeTime().minus(retention.audit());
    }

    /** What became of runs in periods of time, ordered by beginning and job. */
    public List<RunPeriod> periods(PeriodQuery query) {
        return store.notes().periods(query);
    }

    /** The end of the output of each attempt of a run that wrote some, by the number of the attempt. */
    public SortedMap<Integer, String> outputs(RunId run) {
        return store.queries().outputs(run);
    }

    /** How often submissions under a key started nothing new, in minutes beginning at {@code since} or later. */
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        return store.notes().refusals(key, since);
    }

    /**
     * Processes that take work of {@code tenant} and were there within {@code time}: up to {@code limit}, those that were
     * there last first. Of those that are no engines, at most {@link WorkerNote#MOST_REMOTE} are on record.
     */
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        return store.notes().workers(tenant, time, limit);
    }

    /** What time it is by the clock that all times on record are from. */
    public Instant time() {
        return store.views().storeTime();
    }

    /** Keys that are held, that are kept for a run, or that runs wait for, in the order of their names. */
    public List<KeyView> keys(KeyQuery query) {
        return store.views().keys(query);
    }

    /** A page of the queue of one key, from the front, and what start times are estimated from. */
    public KeyLine line(LineQuery query) {
        return store.views().line(query);
    }

    /** What goes on in one tenant, all of one moment. */
    public Summary summary(String tenant) {
        return store.views().summary(tenant);
    }

    /** Runs and keys by parts of what they are called. */
    public SearchResult search(SearchQuery query) {
        return store.views().search(query);
    }

    /** How many runs there are in states that are not the end, and how many open dead letters. */
    public List<RunCount> runCounts() {
        return store.views().runCounts();
    }

    /** Pauses in force, of one tenant or, with {@code null}, of all. */
    public List<Pause> pauses(@Nullable String tenant) {
        return store.views().pauses(tenant);
    }

    /** Resources of a kind, of all tenants, in the order of their keys. */
    public List<Resource> resources(ResourceQuery query) {
        return store.queries().resources(query);
    }

    /**
     * A part of the audit log, in the order of its chain.
     *
     * @param forgotten the place of the last link whose record was forgotten because of its age; 0 if none was
     * @param head the place of the last link there is; 0 if there is none
     */
    public record ChainPage(long forgotten, long head, List<Link> links) {

        public ChainPage {
            links = List.copyOf(links);
        }

        /**
         * A link.
         *
         * @param position its place in the chain, from 1, without gaps
         * @param sealed what it seals, if that is still there
         */
        public record Link(long position, Optional<AuditRecord> sealed) {}
    }
}
