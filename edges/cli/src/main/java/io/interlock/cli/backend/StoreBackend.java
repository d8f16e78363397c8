package io.interlock.cli.backend;

import io.interlock.LockKey;
import io.interlock.client.Requests;
import io.interlock.engine.Jobs;
import io.interlock.engine.OpenStore;
import io.interlock.engine.RunEngine;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditReport;
import io.interlock.engine.audit.AuditVerifier;
import io.interlock.locks.LeaseClient;
import io.interlock.run.Retention;
import io.interlock.service.AdminFacts;
import io.interlock.service.Facts;
import io.interlock.time.Environment;
import java.time.Duration;

/**
 * Works on a store of runs. Its engine takes no work and runs no background services, so that a short command starts quickly; a long one
 * sweeps now and then, because there may be no server that does.
 */
public final class StoreBackend implements Backend {

    private static final Duration SWEEP_EVERY = Duration.ofMinutes(1);
    private static final Duration DRAIN_TIME = Duration.ofSeconds(2);

    private final Target target;
    private final OpenStore store;
    private final RunEngine engine;

    /**
     * Which store, and for which tenant.
     *
     * @param url of the store, with its password
     */
    public record Target(String url, String tenant, String actor, Environment environment) {

        LockKey key(String name) {
            return LockKey.of(tenant, name);
        }

        LeaseClient leases() {
            return LeaseClient.open(url, environment);
        }

        /** Without the password. */
        @Override
        public String toString() {
            return "a store, for tenant " + tenant;
        }
    }

    private StoreBackend(Target target, OpenStore store, RunEngine engine) {
        this.target = target;
        this.store = store;
        this.engine = engine;
    }

    /** Opens a store; sweeps keep history for {@code retention}. */
    public static StoreBackend open(Target target, Jobs jobs, Retention retention) {
        OpenStore store = OpenStore.at(target.url(), target.environment());
        RunEngine engine = store.engine()
                .jobs(jobs)
                .slots(0)
                .withoutBooks()
                .retention(retention)
                .sweepEvery(SWEEP_EVERY)
                .drainTime(DRAIN_TIME)
                .build();
        return new StoreBackend(target, store, engine);
    }

    /** Made when a command asks: {@code interlock run} mostly does without. */
    @Override
    public Requests requests() {
        return new StoreRequests(store, engine, target);
    }

    @Override
    public KeyAcquirer acquirer() {
        return new RunKeyAcquirer(this, engine::submit, target.environment(), target.actor());
    }

    @Override
    public BareLeases leases() {
        return new BareLeases(target::leases);
    }

    @Override
    public void close() {
        engine.close();
        store.close();
    }

    @Override
    public Facts verifyAudit(Evidence evidence) {
        Duration keptFor = evidence.keptFor();
        AuditReport report = engine.queries()
                .verifyAudit(new AuditVerifier.Outside(
                        evidence.witnesses(),
                        evidence.key(),
                        keptFor == null ? null : engine.queries().time().minus(keptFor)));
        return AdminFacts.report(report, finding -> true);
    }

    @Override
    public Facts signAudit(AuditKey key) {
        return Facts.with("signed", engine.queries().signAudit(key));
    }
}
