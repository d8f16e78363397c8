package io.interlock.server.operation;

import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.config.Configuration;
import io.interlock.engine.access.IssuedKey;
import io.interlock.engine.access.KeyOrder;
import io.interlock.engine.access.KeyRing;
import io.interlock.server.api.Call;
import io.interlock.server.api.Cursor;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.json.JsonTime;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** API keys and configuration over HTTP: for admins, of their own tenant only; the bootstrap key sees the whole configuration. */
public final class AccessOperations {

    private static final String KEYS = "keys";

    private final KeyRing keys;
    private final Configuration configuration;
    private final InstantSource clock;

    private AccessOperations(KeyRing keys, Configuration configuration, InstantSource clock) {
        this.keys = keys;
        this.configuration = configuration;
        this.clock = clock;
    }

    /** Adds them to {@code operations}. */
    public static void addTo(Operations operations, KeyRing keys, Configuration configuration, InstantSource clock) {
        AccessOperations access = new AccessOperations(keys, configuration, clock);
        addLooksTo(operations, keys, configuration, clock);
        operations
                .on("createKey", access::create)
                .on("revokeKey", access::revoke)
                .on("revokeKeyByQuery", access::revoke);
    }

    /** Adds those that change nothing, for a store that keeps no keys. */
    public static void addLooksTo(
            Operations operations, KeyRing keys, Configuration configuration, InstantSource clock) {
        AccessOperations access = new AccessOperations(keys, configuration, clock);
        operations.on("listKeys", access::list).on("getConfig", access::configuration);
    }

    private CompletionStage<Reply> list(Call call) {
        Optional<String> after = Cursor.place(call, KEYS);
        int limit = call.limit();
        return keys.list(call.tenant()).thenApply(all -> {
            // Keys are never forgotten, so the last one of the page before is still there.
            int from = after.map(id -> place(all, id) + 1).orElse(0);
            int to = Math.min(all.size(), from + limit);
            JsonArray items = new JsonArray();
            all.subList(from, to).forEach(key -> items.add(json(key)));
            JsonObject page = new JsonObject().put("items", items);
            return Reply.ok(
                    to == all.size()
                            ? page
                            : page.put("cursor", Cursor.of(KEYS, all.get(to - 1).id())));
        });
    }

    private static int place(List<AccessKey> all, String id) {
        for (int i = 0; i < all.size(); i++) {
            if (all.get(i).id().equals(id)) {
                return i;
            }
        }
        return all.size() - 1;
    }

    private CompletionStage<Reply> create(Call call) {
        Role role = Role.valueOf(call.body().getString("role").toUpperCase(Locale.ROOT));
        KeyOrder order = new KeyOrder(
                call.tenant(),
                role,
                call.body().getString("label", role.name().toLowerCase(Locale.ROOT)),
                call.duration("expiresIn").orElse(null));
        return keys.issue(
                        order,
                        call.actor(),
                        configuration.settings().limits().tenant().apiKeys())
                .thenApply(this::created);
    }

    private Reply created(IssuedKey issued) {
        return Reply.created(
                json(issued.kept()).put("apiKey", issued.secret().text()),
                "/api/v1/keys/" + issued.kept().id());
    }

    private CompletionStage<Reply> revoke(Call call) {
        String id = call.required("id", String.class);
        String reason = call.optional("reason", String.class).orElse("revoked over HTTP");
        return keys.revoke(call.tenant(), id, call.actor(), reason).thenApply(revoked -> {
            if (revoked.isEmpty()) {
                throw Call.notFound("API key", id).thrown();
            }
            return Reply.nothing();
        });
    }

    private CompletionStage<Reply> configuration(Call call) {
        boolean all = KeyRing.isBootstrap(call.caller().key());
        TenantView view = new TenantView(configuration.effective(), call.tenant());
        JsonArray items = new JsonArray();
        (all ? configuration.effective() : view.properties())
                .forEach(property -> items.add(new JsonObject()
                        .put("name", property.name())
                        .put("value", property.value())
                        .put("origin", property.origin())));
        return CompletableFuture.completedFuture(Reply.ok(new JsonObject().put("items", items)));
    }

    private JsonObject json(AccessKey key) {
        JsonObject json = new JsonObject()
                .put("id", key.id())
                .put("tenant", key.tenant())
                .put("role", key.role().name().toLowerCase(Locale.ROOT))
                .put("label", key.label())
                .put("createdAt", JsonTime.of(key.createdAt()))
                .put("active", key.isActive(clock.instant()));
        put(json, "expiresAt", key.expiresAt());
        put(json, "revokedAt", key.revokedAt());
        put(json, "lastUsedAt", key.usedAt());
        return json;
    }

    private static void put(JsonObject json, String field, @Nullable Instant at) {
        if (at != null) {
            json.put(field, JsonTime.of(at));
        }
    }
}
