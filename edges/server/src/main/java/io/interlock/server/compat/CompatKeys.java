package io.interlock.server.compat;

import io.interlock.EvictAnswer;
import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.engine.RunEngine;
import io.interlock.run.KeyQuery;
import io.interlock.run.KeyView;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import io.interlock.server.api.Call;
import io.interlock.server.api.Reply;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What compatible APIs show of keys, and how they force them open. All methods block. */
public final class CompatKeys {

    private static final int MOST_KEYS = 10_000;

    private CompatKeys() {}

    /** What goes on under {@code key}; empty if nothing does. */
    public static Optional<KeyView> look(RunEngine engine, LockKey key) {
        // Of all names that begin with a name, it is itself the first.
        return engine.queries().keys(new KeyQuery(key.tenant(), key.name(), null, 1)).stream()
                .filter(view -> view.key().equals(key))
                .findFirst();
    }

    /** {@code key}, if it is held: by a lease that has not ended, or for a run. */
    public static Optional<KeyView> held(RunEngine engine, LockKey key) {
        return look(engine, key).filter(CompatKeys::isHeld);
    }

    /** All keys of a tenant that begin with {@code prefix} and are held. */
    public static List<KeyView> allHeld(RunEngine engine, String tenant, String prefix) {
        List<KeyView> held = new ArrayList<>();
        KeyQuery query = new KeyQuery(tenant, prefix, null, RunQuery.MAX_LIMIT);
        while (true) {
            List<KeyView> page = engine.queries().keys(query);
            page.stream().filter(CompatKeys::isHeld).forEach(held::add);
            if (page.size() < query.limit() || held.size() >= MOST_KEYS) {
                return held;
            }
            String last = page.get(page.size() - 1).key().name();
            query = new KeyQuery(tenant, prefix, last, RunQuery.MAX_LIMIT);
        }
    }

    /**
     * When {@code view}'s key opens by itself, unless its holder renews its lease: the end of that lease; while the key is kept for a run no
     * worker has taken yet, the end of that run's wait. Empty only for a run that waits for ever.
     */
    public static Optional<Instant> opensAt(KeyView view) {
        return view.currentLease()
                .map(LeaseRecord::expiresAt)
                .or(() -> view.currentRun()
                        .flatMap(run ->
                                run.spec().limits().waitLimit().map(run.status().since()::plus)));
    }

    private static boolean isHeld(KeyView view) {
        return view.lease() == null ? view.run() != null : !view.lease().isExpired();
    }

    /**
     * Evicts the holder of the key, if its token is still the one of the query, else the one the key has now. A run that the key is only
     * kept for has no token yet and is cancelled.
     */
    public static Reply release(RunEngine engine, Call call, LockKey key) {
        String reason = call.required("reason", String.class);
        KeyView view = held(engine, key).orElseThrow(() -> free(key));
        LeaseRecord lease = view.lease();
        Run run = view.run();
        Optional<FencingToken> named = call.optional("token", Number.class).map(n -> new FencingToken(n.longValue()));
        if (lease == null && run != null && named.isEmpty()) {
            engine.cancel(run.id(), call.actor(), reason);
            return Reply.ok(new JsonObject().putNull("releasedToken"));
        }
        FencingToken token =
                named.or(() -> view.currentLease().map(LeaseRecord::token)).orElseThrow(() -> free(key));
        EvictAnswer answer = engine.evict(key, token, call.actor(), reason);
        if (answer instanceof EvictAnswer.Evicted evicted) {
            return Reply.ok(new JsonObject()
                    .put("releasedToken", evicted.victim().token().value()));
        }
        LeaseRecord now = ((EvictAnswer.Mismatch) answer).holder().orElseThrow(() -> free(key));
        throw Problem.of(ProblemCode.TOKEN_STALE, key.name() + " has token " + now.token() + ", not " + token + ".")
                .with("currentToken", now.token().value());
    }

    private static RuntimeException free(LockKey key) {
        return Problem.of(ProblemCode.NOT_FOUND, key.name() + " is not held.");
    }
}
