package io.interlock.server.operation;

import io.interlock.engine.SweepRound;
import io.interlock.engine.audit.AuditFinding;
import io.interlock.engine.audit.AuditReport;
import io.interlock.run.SweepAction;
import io.interlock.server.api.Call;
import io.interlock.server.api.Reply;
import io.interlock.server.api.Workbench;
import io.interlock.server.json.JsonTime;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Care for the store: {@code getJanitor}, {@code sweepNow}, {@code verifyAudit}. All look at everything; of what they find,
 * whoever asks is told what is its tenant's business.
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
            bench.engine().janitor().runOnce().forEach(round -> sweeps.add(sweep(round, call.tenant())));
            return Reply.ok(new JsonObject().put("sweeps", sweeps));
        });
    }

    CompletionStage<Reply> janitor(Call call) {
        JsonArray sweeps = new JsonArray();
        bench.engine()
                .janitor()
                .lastRound()
                .ifPresent(rounds -> rounds.forEach(round -> sweeps.add(sweep(round, call.tenant()))));
        return CompletableFuture.completedFuture(Reply.ok(new JsonObject().put("sweeps", sweeps)));
    }

    /** One round of one sweep, as far as it is the tenant's business. */
    private static JsonObject sweep(SweepRound round, String tenant) {
        JsonArray actions = new JsonArray();
        round.actions().stream()
                .filter(action -> action.key().tenant().equals(tenant))
                .forEach(action -> actions.add(action(action)));
        JsonObject json = new JsonObject()
                .put("sweep", round.sweep())
                .put("at", JsonTime.of(round.at()))
                .put("actions", actions);
        round.whySkipped().ifPresent(why -> json.put("skipped", why));
        return json;
    }

    private static JsonObject action(SweepAction action) {
        JsonObject json = new JsonObject().put("key", action.key().name());
        if (action.run() != null) {
            json.put("run", action.run().toString());
        }
        if (action.state() != null) {
            json.put("state", action.state().name());
        }
        return json.put("why", action.why());
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
