package io.interlock.cli.backend;

import io.interlock.Actor;
import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.cli.text.ExitCode;
import io.interlock.cli.text.Facts;
import io.interlock.cli.text.Failure;
import io.interlock.engine.RunEngine;
import io.interlock.engine.SweepRound;
import io.interlock.engine.audit.AuditFinding;
import io.interlock.engine.audit.AuditKey;
import io.interlock.engine.audit.AuditReport;
import io.interlock.engine.audit.AuditVerifier;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.run.KeyQuery;
import io.interlock.run.Resource;
import io.interlock.run.ResourceAnswer;
import io.interlock.run.RunQuery;
import io.interlock.run.SweepAction;
import io.interlock.run.WorkerNote;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What goes on around the runs of a store. */
final class EngineAdmin implements AdminApi {

    private static final Duration SHOWN = Duration.ofHours(1);

    private final RunEngine engine;
    private final String tenant;
    private final String actor;

    EngineAdmin(RunEngine engine, String tenant, String actor) {
        this.engine = engine;
        this.tenant = tenant;
        this.actor = actor;
    }

    @Override
    public Facts resource(String name) {
        return engine.resource(LockKey.of(tenant, name))
                .map(EngineAdmin::facts)
                .orElseThrow(() -> Failure.unknown(
                        "'" + name + "' is no resource", "interlock resources set adopts one that is there already"));
    }

    @Override
    public Facts setResource(String name, String state, @Nullable String kind, String reason) {
        LockKey key = LockKey.of(tenant, name);
        while (true) {
            Resource known = engine.resource(key).orElse(null);
            ResourceAnswer answer = engine.setFreeResource(
                    key,
                    kind == null ? kind(key, known) : kind,
                    state,
                    known == null ? 0 : known.version(),
                    Actor.of(actor),
                    reason);
            if (answer instanceof ResourceAnswer.Changed changed) {
                return facts(changed.resource());
            }
            Resource now = ((ResourceAnswer.Mismatch) answer).resource();
            if (Objects.equals(now, known)) {
                throw new Failure(
                        ExitCode.BUSY,
                        "the state of '" + name + "' is set only while its key is free",
                        "wait for its run, cancel it, or evict its lease: interlock locks show " + name);
            }
        }
    }

    private static String kind(LockKey key, @Nullable Resource known) {
        int slash = key.name().indexOf('/');
        return known != null
                ? known.kind()
                : slash <= 0 ? "resource" : key.name().substring(0, slash);
    }

    private static Facts facts(Resource resource) {
        return Facts.with("key", resource.key().name())
                .and("kind", resource.kind())
                .and("state", resource.state())
                .and("version", resource.version())
                .and("settledState", resource.settledState())
                .and("settledAt", resource.settledAt())
                .and("owner", resource.owner())
                .done();
    }

    @Override
    public List<Facts> audit(@Nullable String key, @Nullable String run, int limit) {
        AuditQuery query = new AuditQuery(
                tenant,
                key == null ? null : LockKey.of(tenant, key),
                run == null ? null : id(run),
                null,
                null,
                0,
                limit);
        return engine.queries().audit(query).stream().map(EngineAdmin::facts).toList();
    }

    @Override
    public Facts verifyAudit(AuditEvidence evidence) {
        Duration keptFor = evidence.keptFor();
        AuditReport report = engine.queries()
                .verifyAudit(new AuditVerifier.Outside(
                        evidence.witnesses(),
                        evidence.key(),
                        keptFor == null ? null : engine.queries().time().minus(keptFor)));
        return Facts.with("clean", report.isClean())
                .and("records", report.records())
                .and(
                        "findings",
                        report.findings().stream().map(AuditFinding::sentence).toList())
                .and("head", report.head().toString())
                .and("sentence", report.sentence())
                .done();
    }

    @Override
    public Facts signAudit(AuditKey key) {
        return Facts.with("signed", engine.queries().signAudit(key).toString()).done();
    }

    @Override
    public List<Facts> jobs() {
        throw new Failure(
                ExitCode.CONFIGURATION,
                "a store knows runs, not jobs",
                "name the configuration that defines them: --config interlock.yaml; or ask a server: --server URL");
    }

    @Override
    public List<Facts> sweeps() {
        return sweep(true);
    }

    @Override
    public List<Facts> sweep(boolean dryRun) {
        if (!dryRun) {
            return engine.janitor().runOnce().stream().map(this::facts).toList();
        }
        List<Facts> due = engine.queries().keys(KeyQuery.ofTenant(tenant)).stream()
                .filter(view -> view.lease() != null && view.lease().isExpired())
                .map(view -> Facts.with("key", view.key().name())
                        .and("run", view.run(), run -> run.id())
                        .and("why", LockFacts.of(view).shown("explanation"))
                        .done())
                .toList();
        return List.of(Facts.with("sweep", "due").and("actions", due).done());
    }

    @Override
    public List<Facts> workers() {
        return engine.queries().workers(tenant, SHOWN, RunQuery.MAX_LIMIT).stream()
                .map(EngineAdmin::facts)
                .toList();
    }

    private Facts facts(SweepRound round) {
        return Facts.with("sweep", round.sweep())
                .and("at", round.at())
                .and("actions", round.actions().stream().map(EngineAdmin::facts).toList())
                .and("skipped", round.skipped())
                .done();
    }

    private static Facts facts(SweepAction action) {
        return Facts.with("key", action.key().name())
                .and("run", action.run())
                .and("state", action.state())
                .and("why", action.why())
                .done();
    }

    private static Facts facts(AuditRecord record) {
        return Facts.with("sequence", record.sequence())
                .and("at", record.at())
                .and("key", record.key().name())
                .and("run", record.run())
                .and("token", record.token() == null ? null : record.token().value())
                .and("actor", record.actor())
                .and("action", record.action())
                .and("before", record.before())
                .and("after", record.after())
                .and("reason", record.reason())
                .and("correlation", record.correlation())
                .and("address", record.address())
                .done();
    }

    private static Facts facts(WorkerNote note) {
        return Facts.with("worker", note.worker().label())
                .and("jobs", note.jobs().stream().sorted().map(Object::toString).toList())
                .and("slots", note.slots())
                .and("busy", note.busy())
                .and("version", note.version())
                .and("seenAt", note.seenAt())
                .done();
    }

    private static RunId id(String run) {
        try {
            return RunId.parse(run);
        } catch (IllegalArgumentException malformed) {
            throw Failure.usage("'" + run + "' is no id of a run", "interlock runs ls shows them");
        }
    }
}
