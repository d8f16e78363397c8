package io.interlock.server.operation;

import io.interlock.InvalidSettingException;
import io.interlock.engine.audit.AuditFinding;
import io.interlock.engine.audit.AuditReport;
import io.interlock.engine.audit.Witness;
import io.interlock.server.api.BlockingCalls;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.problem.Problem;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;

/**
 * {@code verifyAudit}: looks at the whole audit log, which may take long; so on a thread of its own. Callers that ask with the
 * same witnesses while one look is under way share the next: this one may be past what was changed before they asked. Of what
 * is found, a caller is told what is its tenant's business.
 */
final class VerifyOperation {

    private final OperationContext context;
    private final BlockingCalls apart;
    private final Map<List<Witness>, CompletionStage<AuditReport>> next = new HashMap<>();

    VerifyOperation(OperationContext context) {
        this.context = context;
        this.apart = BlockingCalls.apart(context.environment(), 1);
    }

    CompletionStage<Reply> verify(Call call) {
        return report(witnesses(call)).thenApply(report -> Reply.ok(json(report, call.tenant())));
    }

    private static List<Witness> witnesses(Call call) {
        JsonArray texts = call.optional("witness", JsonArray.class).orElseGet(JsonArray::new);
        try {
            return texts.stream().map(text -> Witness.parse((String) text)).toList();
        } catch (InvalidSettingException malformed) {
            throw Problem.invalid("query/witness", String.valueOf(malformed.getMessage()))
                    .thrown();
        }
    }

    private synchronized CompletionStage<AuditReport> report(List<Witness> witnesses) {
        CompletionStage<AuditReport> report = next.get(witnesses);
        if (report == null) {
            // There is one thread for it, so it begins when the look before it is over.
            report = apart.call(() -> {
                begin(witnesses);
                return context.engine().queries().verifyAudit(witnesses);
            });
            if (!report.toCompletableFuture().isCompletedExceptionally()) {
                next.put(witnesses, report);
            }
        }
        return report;
    }

    private synchronized void begin(List<Witness> witnesses) {
        next.remove(witnesses);
    }

    private static JsonObject json(AuditReport report, String tenant) {
        List<String> findings = report.findings().stream()
                .filter(finding -> isBusinessOf(tenant, finding))
                .map(AuditFinding::sentence)
                .toList();
        String looked =
                report.records() + " records up to position " + report.to().position() + ": ";
        return new JsonObject()
                .put("clean", findings.isEmpty())
                .put("records", report.records())
                .put("findings", new JsonArray(findings))
                .put("head", report.head().toString())
                .put(
                        "sentence",
                        looked
                                + (findings.isEmpty()
                                        ? "nothing is wrong"
                                        : findings.size() + " findings, the first: " + findings.get(0)));
    }

    // A chain that somebody has touched is everybody's business.
    private static boolean isBusinessOf(String tenant, AuditFinding finding) {
        if (finding instanceof AuditFinding.Overlap overlap) {
            return overlap.key().tenant().equals(tenant);
        }
        return !(finding instanceof AuditFinding.TokenNotRising token)
                || token.key().tenant().equals(tenant);
    }
}
