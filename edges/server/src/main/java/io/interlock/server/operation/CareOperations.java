package io.interlock.server.operation;

import io.interlock.engine.audit.AuditFinding;
import io.interlock.engine.audit.AuditReport;
import io.interlock.server.api.Call;
import io.interlock.server.api.Reply;
import io.interlock.server.api.Workbench;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * What an operator orders by hand: {@code verifyAudit}, {@code sweepNow}. Both look at everything; of what they find, whoever asks is
 * told what is its tenant's business.
 */
final class CareOperations {

    private final Workbench bench;

    CareOperations(Workbench bench) {
        this.bench = bench;
    }

    CompletionStage<Reply> verifyAudit(Call call) {
        return bench.blocking()
                .call(() -> Reply.ok(json(bench.engine().records().verifyAudit(), call.tenant())));
    }

    CompletionStage<Reply> sweepNow(Call call) {
        return bench.blocking().call(() -> {
            JsonArray sweeps = new JsonArray();
            bench.engine()
                    .janitor()
                    .runOnce()
                    .forEach(round -> sweeps.add(HouseOperations.sweep(round, call.tenant())));
            return Reply.ok(new JsonObject().put("sweeps", sweeps));
        });
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
