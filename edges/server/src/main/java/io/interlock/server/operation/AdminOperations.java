package io.interlock.server.operation;

import io.interlock.InvalidSettingException;
import io.interlock.engine.Janitor;
import io.interlock.engine.audit.AuditFinding;
import io.interlock.engine.audit.AuditReport;
import io.interlock.engine.audit.AuditReport.Witness;
import io.interlock.run.JobName;
import io.interlock.server.api.BlockingCalls;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.service.AdminFacts;
import io.interlock.service.AdminService;
import io.interlock.service.Facts;
import io.interlock.service.Problem;
import io.interlock.time.Environment.Ticker;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/** The operations about resources, the audit log, workers, jobs and the janitor. */
public final class AdminOperations {

    private final OperationContext context;
    private final Function<JobName, String> apis;
    private final BlockingCalls verifying;
    private final SharedAnswers summaries;
    private final Map<List<Witness>, CompletionStage<AuditReport>> nextReports = new HashMap<>();

    private AdminOperations(OperationContext context, Function<JobName, String> apis) {
        this.context = context;
        this.apis = apis;
        this.summaries = new SharedAnswers(context.environment().ticker());
        // A check of the whole audit log may take long.
        this.verifying = BlockingCalls.apart(context.environment(), 1);
    }

    /**
     * Adds all of them to {@code operations}.
     *
     * @param apis the compatible API that starts a job, {@code none} if it has none
     */
    public static void addTo(Operations operations, OperationContext context, Function<JobName, String> apis) {
        AdminOperations admin = new AdminOperations(context, apis);
        AdminService service = context.service().admin();
        operations
                .on("getResource", context.blocking(call -> Reply.ok(service.resource(call.request()))))
                .on("setResource", context.blocking(call -> Reply.ok(service.setResource(call.request()))))
                .on("listAudit", context.listing(call -> Reply.ok(service.audit(call.request()))))
                .on("verifyAudit", admin::verify)
                .on("getSummary", context.listing(call -> Reply.ok(admin.summary(call.tenant()))))
                .on("getHistory", context.listing(call -> Reply.ok(service.history(call.request()))))
                .on("search", context.listing(call -> Reply.ok(service.search(call.request()))))
                .on("listWorkers", context.blocking(call -> Reply.items(service.workers(call.tenant()))))
                .on("listJobs", context.listing(call -> Reply.items(service.jobs(call.tenant(), apis))))
                .on("getJob", context.listing(admin::job));
    }

    /** Adds those about the janitor, which any store needs. A caller sees the actions on its tenant's keys. */
    public static void addSweepsTo(Operations operations, OperationContext context) {
        Janitor janitor = context.engine().janitor();
        operations
                .on(
                        "getJanitor",
                        call -> CompletableFuture.completedFuture(
                                sweeps(janitor, janitor.lastRound().orElse(List.of()), call)))
                .on("sweepNow", context.blocking(call -> sweeps(janitor, janitor.runOnce(), call)));
    }

    private static Reply sweeps(Janitor janitor, List<Janitor.Round> rounds, Call call) {
        return Reply.ok(AdminFacts.janitor(
                rounds, janitor.plan(), action -> action.key().tenant().equals(call.tenant())));
    }

    private Reply job(Call call) {
        String name = call.required("name", String.class);
        return Reply.ok(context.service()
                .admin()
                .job(call.tenant(), name, apis)
                .orElseThrow(() -> Problem.notFound("job", name)));
    }

    private Facts summary(String tenant) {
        return summaries.of(tenant, () -> context.service().admin().summary(tenant));
    }

    private CompletionStage<Reply> verify(Call call) {
        return report(witnesses(call))
                .thenApply(report ->
                        Reply.ok(AdminFacts.report(report, finding -> isVisibleTo(call.tenant(), finding))));
    }

    private static List<Witness> witnesses(Call call) {
        try {
            return call.words("witness").stream().map(Witness::parse).toList();
        } catch (InvalidSettingException malformed) {
            throw Problem.invalid("query/witness", String.valueOf(malformed.getMessage()));
        }
    }

    /** Callers with the same witnesses share the next check, not the one under way: that may be past a change made before they asked. */
    private CompletionStage<AuditReport> report(List<Witness> witnesses) {
        synchronized (nextReports) {
            CompletionStage<AuditReport> report = nextReports.get(witnesses);
            if (report == null) {
                // There is one thread for it, so it begins when the check before it is over.
                report = verifying.call(() -> {
                    synchronized (nextReports) {
                        nextReports.remove(witnesses);
                    }
                    return context.engine().queries().verifyAudit(witnesses);
                });
                if (!report.toCompletableFuture().isCompletedExceptionally()) {
                    nextReports.put(witnesses, report);
                }
            }
            return report;
        }
    }

    /** A tampered chain concerns every tenant; what happened under a key concerns its own. */
    private static boolean isVisibleTo(String tenant, AuditFinding finding) {
        if (finding instanceof AuditFinding.Overlap overlap) {
            return overlap.key().tenant().equals(tenant);
        }
        return !(finding instanceof AuditFinding.TokenNotRising token)
                || token.key().tenant().equals(tenant);
    }

    /**
     * Answers that took long to work out, given again for a while: any number of open pages asks the store for at most a fifth of the time.
     * An answer that took less than {@link #CHEAP} is never given twice. Each carries the time it is of. Safe for use by many threads.
     */
    static final class SharedAnswers {

        /** What is worked out for each request. */
        static final Duration CHEAP = Duration.ofMillis(100);

        private static final int TIMES = 4;
        private static final Duration LONGEST = Duration.ofSeconds(10);
        private static final int MOST = 1000;

        private final Ticker ticker;
        private final Map<String, Kept> kept = new ConcurrentHashMap<>();

        private record Kept(Facts answer, long until) {}

        SharedAnswers(Ticker ticker) {
            this.ticker = ticker;
        }

        /** The answer to the question of {@code tenant}: one that is kept, or what {@code ask} says. */
        Facts of(String tenant, Supplier<Facts> ask) {
            long begun = ticker.nanos();
            Kept known = kept.get(tenant);
            if (known != null && known.until() - begun > 0) {
                return known.answer();
            }
            Facts answer = ask.get();
            long now = ticker.nanos();
            if (now - begun > CHEAP.toNanos()) {
                if (kept.size() >= MOST) {
                    kept.values().removeIf(old -> old.until() - now <= 0);
                }
                kept.put(tenant, new Kept(answer, now + Math.min(TIMES * (now - begun), LONGEST.toNanos())));
            } else {
                kept.remove(tenant);
            }
            return answer;
        }
    }
}
