package io.interlock.server.operation;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.AuditQuery;
import io.interlock.run.AuditRecord;
import io.interlock.server.api.Call;
import io.interlock.server.api.Cursor;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.json.JsonTime;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** {@code listAudit}: what was done, the newest first. */
final class AuditOperation {

    private static final String CURSOR = "audit";

    private final OperationContext context;

    AuditOperation(OperationContext context) {
        this.context = context;
    }

    CompletionStage<Reply> list(Call call) {
        Optional<LockKey> key = call.keyParameter("key");
        Optional<String> run = call.optional("run", String.class);
        Optional<RunId> id = run.flatMap(AuditOperation::parsed);
        if (run.isPresent() && id.isEmpty()) {
            return CompletableFuture.completedFuture(Reply.ok(new JsonObject().put("items", new JsonArray())));
        }
        AuditQuery query = new AuditQuery(
                call.tenant(),
                key.orElse(null),
                id.orElse(null),
                null,
                call.since(context.environment().clock().instant()).orElse(null),
                Cursor.number(call, CURSOR),
                call.limit() + 1);
        return context.lists()
                .call(
                        call.tenant(),
                        () -> Reply.ok(page(context.engine().queries().audit(query), call.limit())));
    }

    private static JsonObject page(List<AuditRecord> found, int limit) {
        JsonArray items = new JsonArray();
        found.stream().limit(limit).forEach(record -> items.add(json(record)));
        JsonObject page = new JsonObject().put("items", items);
        return found.size() > limit
                ? page.put("cursor", Cursor.of(CURSOR, found.get(limit - 1).sequence()))
                : page;
    }

    private static JsonObject json(AuditRecord record) {
        JsonObject json = new JsonObject()
                .put("sequence", record.sequence())
                .put("at", JsonTime.of(record.at()))
                .put("key", record.key().name());
        if (record.run() != null) {
            json.put("run", record.run().toString());
        }
        if (record.token() != null) {
            json.put("token", record.token().value());
        }
        json.put("actor", record.actor())
                .put("action", record.action())
                .put("before", record.before())
                .put("after", record.after())
                .put("reason", record.reason());
        if (record.correlation() != null) {
            json.put("correlation", record.correlation());
        }
        return record.address() == null ? json : json.put("address", record.address());
    }

    private static Optional<RunId> parsed(String text) {
        try {
            return Optional.of(RunId.parse(text));
        } catch (IllegalArgumentException malformed) {
            return Optional.empty();
        }
    }
}
