package io.interlock.service;

import io.interlock.access.AccessKey;
import io.interlock.engine.Janitor;
import io.interlock.engine.Job;
import io.interlock.engine.audit.AuditFinding;
import io.interlock.engine.audit.AuditReport;
import io.interlock.engine.schedule.Schedules.ScheduledJob;
import io.interlock.run.AuditRecord;
import io.interlock.run.Resource;
import io.interlock.run.SweepAction;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;

/** The JSON of what surrounds runs and locks: audit log, jobs, resources, sweeps, API keys. */
public final class AdminFacts {

    private AdminFacts() {}

    public static Facts audit(AuditRecord record) {
        return Facts.with("sequence", record.sequence())
                .and("at", record.at())
                .and("key", record.key().name())
                .and("run", record.run())
                .and("token", record.token(), token -> token.value())
                .and("actor", record.actor())
                .and("action", record.action())
                .and("before", record.before())
                .and("after", record.after())
                .and("reason", record.reason())
                .and("correlation", record.correlation())
                .and("address", record.address());
    }

    /** What a check of the audit log found, as far as {@code visible} lets the caller see it. */
    public static Facts report(AuditReport report, Predicate<AuditFinding> visible) {
        List<String> findings = report.findings().stream()
                .filter(visible)
                .map(AuditFinding::sentence)
                .toList();
        return Facts.with("clean", findings.isEmpty())
                .and("records", report.records())
                .and("findings", findings)
                .and("head", report.head())
                .and(
                        "sentence",
                        findings.size() == report.findings().size() ? report.sentence() : sentence(report, findings));
    }

    private static String sentence(AuditReport report, List<String> findings) {
        return report.records() + " records up to position " + report.to().position() + ": "
                + (findings.isEmpty()
                        ? "nothing is wrong"
                        : findings.size() + " findings, the first: " + findings.get(0));
    }

    /**
     * A job.
     *
     * @param api the compatible API that starts it, {@code none} if it has none
     * @param here whether this process runs it
     */
    public static Facts job(Job job, String api, boolean here) {
        return Facts.with("name", job.name())
                .and("api", api)
                .and("onConflict", job.policy())
                .and("lease", job.terms().ttl())
                .and("maxAttempts", job.retry().attempts())
                .and("stages", List.copyOf(job.stages().keySet()))
                .and("worker", here ? "here" : "remote")
                .and("maxRuntime", job.limits().maxRuntime())
                .and("maxWait", job.limits().maxWait());
    }

    /** When a job starts by itself. */
    public static Facts schedule(ScheduledJob schedule, Instant now) {
        return Facts.with("key", schedule.key().name())
                .and("cron", schedule.times().expression())
                .and("zone", schedule.times().zone().getId())
                .and("nextStart", schedule.times().next(now).orElse(null));
    }

    public static Facts resource(Resource resource) {
        return Facts.with("key", resource.key().name())
                .and("kind", resource.kind())
                .and("state", resource.state())
                .and("version", resource.version())
                .and("settledState", resource.settledState())
                .and("settledAt", resource.settledAt())
                .and("owner", resource.owner());
    }

    /** What the janitor did, as far as {@code visible} lets the caller see it, and when it comes again: {@code sweeps, nextAt?, every?}. */
    public static Facts janitor(
            List<Janitor.Round> rounds, Optional<Janitor.Plan> plan, Predicate<SweepAction> visible) {
        return Facts.with(
                        "sweeps",
                        rounds.stream().map(round -> sweep(round, visible)).toList())
                .and("nextAt", plan.map(Janitor.Plan::next).orElse(null))
                .and("every", plan.map(Janitor.Plan::every).orElse(null));
    }

    private static Facts sweep(Janitor.Round round, Predicate<SweepAction> visible) {
        return Facts.with("sweep", round.sweep())
                .and("at", round.at())
                .and(
                        "actions",
                        round.actions().stream()
                                .filter(visible)
                                .map(action -> Facts.with("key", action.key().name())
                                        .and("run", action.run())
                                        .and("state", action.state())
                                        .and("why", action.why()))
                                .toList())
                .and("skipped", round.skipped());
    }

    /** An API key without its secret. */
    public static Facts apiKey(AccessKey key, Instant now) {
        return Facts.with("id", key.id())
                .and("tenant", key.tenant())
                .and("role", key.role().name().toLowerCase(Locale.ROOT))
                .and("label", key.label())
                .and("createdAt", key.createdAt())
                .and("active", key.isActive(now))
                .and("expiresAt", key.expiresAt())
                .and("revokedAt", key.revokedAt())
                .and("lastUsedAt", key.usedAt());
    }
}
