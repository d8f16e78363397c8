package io.interlock.server.operation;

import io.interlock.engine.SweepRound;
import io.interlock.run.SweepAction;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.json.JsonTime;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Care for the store: {@code getJanitor}, {@code sweepNow}. Both look at everything; of what they find, whoever asks is told what is
 * its tenant's business.
 */
final class JanitorOperations {

    private final OperationContext context;

    JanitorOperations(OperationContext context) {
        this.context = context;
    }

    CompletionStage<Reply> sweepNow(Call call) {
        return context.blocking().call(call.tenant(), () -> {
            JsonArray sweeps = new JsonArray();
            context.engine().janitor().runOnce().forEach(round -> sweeps.add(sweep(round, call.tenant())));
            return Reply.ok(new JsonObject().put("sweeps", sweeps));
        });
    }

    CompletionStage<Reply> janitor(Call call) {
        JsonArray sweeps = new JsonArray();
        context.engine()
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
}
