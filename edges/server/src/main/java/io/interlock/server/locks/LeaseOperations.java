package io.interlock.server.locks;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.engine.RemoteLeases.Acquired;
import io.interlock.engine.RemoteLeases.Renewed;
import io.interlock.engine.RemoteWork;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Reply;
import io.interlock.server.json.JsonTime;
import io.interlock.server.problem.Refusals;
import io.interlock.server.runs.Holders;
import io.interlock.server.runs.LeaseLossProblems;
import io.interlock.server.runs.RunLookups;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Leases without runs: {@code acquireLease}, {@code renewLease}, {@code releaseLease}, {@code validateToken}. */
final class LeaseOperations {

    /** How long a renewal is for if it does not say. */
    private static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

    private final OperationContext context;
    private final RunLookups views;

    LeaseOperations(OperationContext context) {
        this.context = context;
        this.views = new RunLookups(context);
    }

    CompletionStage<Reply> acquire(Call call) {
        LockKey key = call.key("key");
        RemoteWork.Caller caller = new RemoteWork.Caller(
                lease(call), Holders.named(call, call.body().getString("holder")));
        Duration ttl = call.duration("ttl").orElse(DEFAULT_TTL);
        return context.waits()
                .until(call, context.engine().leases().acquire(key, caller, ttl, call.patience()))
                .thenCompose(answer -> {
                    if (answer instanceof Acquired.Granted granted) {
                        return CompletableFuture.completedFuture(Reply.ok(json(granted.lease(), ttl)));
                    }
                    Acquired.Refused refused = (Acquired.Refused) answer;
                    return views.key(key).thenApply(view -> {
                        throw Refusals.of(refused.refusal(), view.orElse(null)).thrown();
                    });
                });
    }

    CompletionStage<Reply> renew(Call call) {
        LockKey key = call.key("key");
        FencingToken token = token(call);
        Duration ttl = call.duration("ttl").orElse(DEFAULT_TTL);
        return context.engine().leases().renew(key, lease(call), token, ttl).thenApply(answer -> {
            if (answer instanceof Renewed.Lives lives) {
                return Reply.ok(json(lives.lease(), ttl));
            }
            Renewed.Lost lost = (Renewed.Lost) answer;
            throw LeaseLossProblems.of(key, token, lost.cause(), lost.current());
        });
    }

    CompletionStage<Reply> release(Call call) {
        LockKey key = call.key("key");
        FencingToken token = token(call);
        return context.engine().leases().release(key, lease(call), token).thenApply(released -> {
            // A smaller token may be that of a release sent twice; no lease of the past has a greater one.
            Optional<LeaseRecord> forged =
                    released.successor().filter(current -> !current.token().isAfter(token));
            if (forged.isPresent()) {
                throw LeaseLossProblems.of(key, token, LossCause.GONE, forged.get());
            }
            return Reply.nothing();
        });
    }

    CompletionStage<Reply> validate(Call call) {
        LockKey key = call.keyParameter("key").orElseThrow();
        long token = call.required("token", Number.class).longValue();
        return context.engine().leases().find(key).thenApply(found -> {
            Optional<Long> current =
                    found.filter(LeaseRecord::isLive).map(lease -> lease.token().value());
            return Reply.ok(new JsonObject()
                    .put("valid", current.filter(live -> live == token).isPresent())
                    .put("currentToken", current.orElse(null)));
        });
    }

    private static JsonObject json(LeaseRecord lease, Duration ttl) {
        return new JsonObject()
                .put("key", lease.key().name())
                .put("leaseId", lease.id().toString())
                .put("token", lease.token().value())
                .put("expiresAt", JsonTime.of(lease.expiresAt()))
                .put("heartbeatEvery", JsonTime.of(ttl.dividedBy(3)));
    }

    private static LeaseId lease(Call call) {
        return LeaseId.parse(call.body().getString("leaseId"));
    }

    private static FencingToken token(Call call) {
        return new FencingToken(call.body().getLong("token"));
    }
}
