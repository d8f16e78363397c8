package io.interlock.engine.internal;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.engine.ChainPage;
import io.interlock.engine.EngineQueries;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditReport;
import io.interlock.engine.audit.AuditSealer;
import io.interlock.engine.audit.AuditSigner;
import io.interlock.engine.audit.AuditVerifier;
import io.interlock.engine.audit.Witness;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import io.interlock.run.RefusalCount;
import io.interlock.run.Resource;
import io.interlock.run.ResourceQuery;
import io.interlock.run.RunCount;
import io.interlock.run.Seal;
import io.interlock.run.WorkerNote;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What a store has on record. */
final class StoreQueries implements EngineQueries {

    private final RunStore store;
    private final EngineSettings.Background background;
    private final AuditSealer sealer;

    StoreQueries(RunStore store, EngineSettings.Background background, AuditSealer sealer) {
        this.store = store;
        this.background = background;
        this.sealer = sealer;
    }

    @Override
    public List<AuditRecord> audit(AuditQuery query) {
        return store.records(query);
    }

    @Override
    public ChainPage chain(long position, int limit) {
        // Records wait for up to a second to be sealed; a reader of the chain does not.
        sealer.runOnce();
        Seal head = store.head();
        List<ChainPage.Link> links = position >= head.position()
                ? List.of()
                : store.sealed(position, limit).stream()
                        .map(link -> new ChainPage.Link(link.seal().position(), link.record()))
                        .toList();
        return new ChainPage(store.anchor().position(), head.position(), links);
    }

    @Override
    public AuditReport verifyAudit(List<Witness> witnesses) {
        return verifyAudit(new AuditVerifier.Outside(
                witnesses,
                background.auditKey(),
                store.storeTime().minus(background.retention().audit())));
    }

    @Override
    public AuditReport verifyAudit(AuditVerifier.Outside outside) {
        return new AuditVerifier(store).verify(outside);
    }

    @Override
    public Witness signAudit(AuditKey key) {
        return Witness.of(new AuditSigner(store, key).adopt(), null);
    }

    @Override
    public Optional<String> output(RunId run) {
        return store.output(run);
    }

    @Override
    public List<RefusalCount> refusals(LockKey key, Instant since) {
        return store.refusals(key, since);
    }

    @Override
    public List<WorkerNote> workers(String tenant, Duration time, int limit) {
        return store.workers(tenant, time, limit);
    }

    @Override
    public Instant time() {
        return store.storeTime();
    }

    @Override
    public List<KeyView> keys(KeyQuery query) {
        return store.keys(query);
    }

    @Override
    public List<RunCount> runCounts() {
        return store.runCounts();
    }

    @Override
    public List<Pause> pauses(@Nullable String tenant) {
        return store.pauses(tenant);
    }

    @Override
    public List<Resource> resources(ResourceQuery query) {
        return store.resources(query);
    }
}
