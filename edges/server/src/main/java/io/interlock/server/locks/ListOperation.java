package io.interlock.server.locks;

import io.interlock.LockKey;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyStatus;
import io.interlock.run.KeyView;
import io.interlock.run.Pause;
import io.interlock.run.RefusalCount;
import io.interlock.server.api.Call;
import io.interlock.server.api.Cursor;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.json.LockJson;
import io.interlock.server.json.PauseJson;
import io.interlock.server.json.RefusalsJson;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;

/** {@code listLocks}: keys in the order of their names, and on the first page the pauses in force. */
final class ListOperation {

    private static final String CURSOR = "locks";
    private static final int MOST_LOOKED_AT = 5_000;
    private static final int CHUNK = 200;

    /** How far back refusals under one key are shown. */
    private static final Duration REFUSALS_SHOWN = Duration.ofHours(1);

    private final OperationContext context;

    ListOperation(OperationContext context) {
        this.context = context;
    }

    CompletionStage<Reply> list(Call call) {
        Optional<LockKey> key = call.keyParameter("key");
        Set<KeyStatus> states = states(call);
        Optional<String> after = Cursor.place(call, CURSOR);
        if (key.isPresent() && !key.get().name().endsWith("*")) {
            return context.blocking().call(call.tenant(), () -> Reply.ok(one(key.get(), states)));
        }
        String prefix = key.map(named -> named.name().substring(0, named.name().length() - 1))
                .orElse("");
        // Who looks for few among many looks at many at a time.
        int chunk = states.isEmpty() ? call.limit() : Math.max(call.limit(), CHUNK);
        KeyQuery query = new KeyQuery(call.tenant(), prefix, after.orElse(null), chunk);
        return context.lists().call(call.tenant(), () -> {
            JsonObject page = page(query, states, call.limit());
            if (after.isEmpty()) {
                JsonArray pauses = new JsonArray();
                context.engine()
                        .queries()
                        .pauses(call.tenant())
                        .forEach(pause -> pauses.add(PauseJson.of(pause, true)));
                page.put("pauses", pauses);
            }
            return Reply.ok(page);
        });
    }

    /** One key, whatever goes on under it: also nothing. */
    private JsonObject one(LockKey key, Set<KeyStatus> states) {
        JsonObject lock = context.engine().queries().keys(new KeyQuery(key.tenant(), key.name(), null, 1)).stream()
                .filter(view -> view.key().equals(key))
                .findFirst()
                .map(LockJson::of)
                .orElseGet(() -> idle(key))
                .put("refusals", RefusalsJson.of(refusals(key)));
        JsonArray items = new JsonArray();
        if (states.isEmpty() || states.contains(KeyStatus.valueOf(lock.getString("state")))) {
            items.add(lock);
        }
        return new JsonObject().put("items", items);
    }

    private List<RefusalCount> refusals(LockKey key) {
        Instant now = context.environment().clock().instant();
        return context.engine().queries().refusals(key, now.minus(REFUSALS_SHOWN));
    }

    private JsonObject idle(LockKey key) {
        Instant now = context.environment().clock().instant();
        Pause pause = context.engine().queries().pauses(key.tenant()).stream()
                .filter(each -> each.covers(key))
                .findFirst()
                .orElse(null);
        return LockJson.idle(key, pause, now);
    }

    private JsonObject page(KeyQuery first, Set<KeyStatus> states, int limit) {
        JsonArray items = new JsonArray();
        KeyQuery query = first;
        int lookedAt = 0;
        while (true) {
            List<KeyView> views = context.engine().queries().keys(query);
            for (int i = 0; i < views.size(); i++) {
                KeyView view = views.get(i);
                lookedAt++;
                if (states.isEmpty() || states.contains(view.state())) {
                    items.add(LockJson.of(view));
                }
                boolean mayBeMore = i < views.size() - 1 || views.size() == query.limit();
                if ((items.size() == limit || lookedAt == MOST_LOOKED_AT) && mayBeMore) {
                    return new JsonObject()
                            .put("items", items)
                            .put("cursor", Cursor.of(CURSOR, view.key().name()));
                }
            }
            if (views.size() < query.limit()) {
                return new JsonObject().put("items", items);
            }
            String last = views.get(views.size() - 1).key().name();
            query = new KeyQuery(query.tenant(), query.prefix(), last, query.limit());
        }
    }

    private static Set<KeyStatus> states(Call call) {
        Set<KeyStatus> states = EnumSet.noneOf(KeyStatus.class);
        call.optional("state", JsonArray.class)
                .ifPresent(array -> array.forEach(state -> states.add(KeyStatus.valueOf((String) state))));
        return states;
    }
}
