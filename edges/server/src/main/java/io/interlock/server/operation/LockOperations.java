package io.interlock.server.operation;

import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.engine.RemoteLeases.Acquired;
import io.interlock.engine.RemoteLeases.Renewed;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunEngine;
import io.interlock.server.api.Call;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.service.Facts;
import io.interlock.service.LockFacts;
import io.interlock.service.LockService;
import io.interlock.service.RefusalFacts;
import io.interlock.service.Request;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The operations about locks: leases without runs, waits for a key, and those of {@link LockService}. */
public final class LockOperations {

    private static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

    private final OperationContext context;
    private final RunEngine engine;
    private final LockService service;
    private final RunLookups lookups;

    private LockOperations(OperationContext context, RunLookups lookups) {
        this.context = context;
        this.engine = context.engine();
        this.service = context.service().locks();
        this.lookups = lookups;
    }

    /** Adds all of them to {@code operations}. */
    public static void addTo(Operations operations, OperationContext context, RunLookups lookups) {
        addLeasesTo(operations, context, lookups);
        LockService service = context.service().locks();
        operations
                .on("pauseKeys", context.blocking(call -> Reply.ok(service.pause(call.request()))))
                .on("resumeKeys", context.blocking(call -> Reply.ok(service.resume(call.request()))))
                .on("getLine", context.listing(call -> Reply.ok(service.line(call.request()))))
                .on("getHolds", context.listing(call -> Reply.ok(service.holds(call.request()))));
    }

    /** Adds those that need no runs beside the leases. */
    public static void addLeasesTo(Operations operations, OperationContext context, RunLookups lookups) {
        LockOperations locks = new LockOperations(context, lookups);
        operations
                .on("listLocks", locks::list)
                .on("acquireLease", locks::acquire)
                .on("renewLease", locks::renew)
                .on("releaseLease", locks::release)
                .on("validateToken", locks::validate)
                .on("evictLease", context.blocking(call -> Reply.ok(locks.service.evict(call.request()))));
    }

    /** Of one key, when its holder has changed, if the caller waits for that. */
    private CompletionStage<Reply> list(Call call) {
        Request request = call.request();
        Supplier<Facts> listing = service.listing(request);
        Optional<LockKey> one = request.keyAsked().filter(key -> !key.name().endsWith("*"));
        if (one.isEmpty()) {
            return context.listing(call, () -> Reply.ok(listing.get()));
        }
        CompletionStage<Boolean> changed = call.patience().isZero()
                ? CompletableFuture.completedFuture(true)
                : context.waits().until(call, engine.leases().awaitFree(one.get(), call.patience()));
        return changed.thenCompose(free -> context.blocking(call, () -> Reply.ok(listing.get())));
    }

    private CompletionStage<Reply> acquire(Call call) {
        LockKey key = call.request().key();
        RemoteWork.Caller caller =
                new RemoteWork.Caller(leaseId(call), call.holder(call.body().getString("holder")));
        Duration ttl = call.duration("ttl").orElse(DEFAULT_TTL);
        LeaseTerms terms = new LeaseTerms(ttl, call.duration("lockDelay").orElse(Duration.ZERO));
        return context.waits()
                .until(call, engine.leases().acquire(key, caller, terms, call.patience()))
                .thenCompose(answer -> {
                    if (answer instanceof Acquired.Granted granted) {
                        return CompletableFuture.completedFuture(Reply.ok(LockFacts.lease(granted.lease(), ttl)));
                    }
                    Acquired.Refused refused = (Acquired.Refused) answer;
                    return lookups.refused(call, refused.refusal());
                });
    }

    private CompletionStage<Reply> renew(Call call) {
        LockKey key = call.request().key();
        FencingToken token = token(call);
        Duration ttl = call.duration("ttl").orElse(DEFAULT_TTL);
        return engine.leases().renew(key, leaseId(call), token, ttl).thenApply(answer -> {
            if (answer instanceof Renewed.Lives lives) {
                return Reply.ok(LockFacts.lease(lives.lease(), ttl));
            }
            Renewed.Lost lost = (Renewed.Lost) answer;
            throw RefusalFacts.leaseLost(key, token, lost.cause(), lost.current());
        });
    }

    private CompletionStage<Reply> release(Call call) {
        LockKey key = call.request().key();
        FencingToken token = token(call);
        return engine.leases().release(key, leaseId(call), token).thenApply(released -> {
            // A smaller token may be that of a release sent twice; no lease of the past has a greater one.
            Optional<LeaseRecord> forged =
                    released.successor().filter(current -> !current.token().isAfter(token));
            if (forged.isPresent()) {
                throw RefusalFacts.leaseLost(key, token, LossCause.GONE, forged.get());
            }
            LossCause lapsed = released.lapsed();
            return lapsed == null ? Reply.nothing() : Reply.nothing().header("X-Lease-Lapsed", lapsed.name());
        });
    }

    private CompletionStage<Reply> validate(Call call) {
        LockKey key = call.request().keyAsked().orElseThrow();
        long token = call.required("token", Number.class).longValue();
        return engine.leases().find(key).thenApply(found -> {
            Optional<Long> current =
                    found.filter(LeaseRecord::isLive).map(lease -> lease.token().value());
            return Reply.ok(
                    Facts.with("valid", current.filter(live -> live == token).isPresent())
                            .orNull("currentToken", current.orElse(null)));
        });
    }

    private static LeaseId leaseId(Call call) {
        return LeaseId.parse(call.body().getString("leaseId"));
    }

    private static FencingToken token(Call call) {
        return new FencingToken(call.body().getLong("token"));
    }
}
