package io.interlock.server.operation;

import io.interlock.Actor;
import io.interlock.FencingToken;
import io.interlock.LeaseId;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.TimeText;
import io.interlock.engine.RemoteLeases.Acquired;
import io.interlock.engine.RemoteLeases.Renewed;
import io.interlock.engine.RemoteWork;
import io.interlock.engine.RunEngine;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Pause;
import io.interlock.run.RunQuery;
import io.interlock.server.api.Call;
import io.interlock.server.api.Call.Cursor;
import io.interlock.server.api.OperationContext;
import io.interlock.server.api.Operations;
import io.interlock.server.api.Reply;
import io.interlock.server.problem.Problem;
import io.interlock.server.problem.ProblemCode;
import io.interlock.server.problem.Refusals;
import io.interlock.service.Facts;
import io.interlock.service.FilteredPage;
import io.interlock.service.LockFacts;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The operations about locks: the list, leases without runs, evictions and pauses. */
public final class LockOperations {

    private static final String CURSOR = "locks";
    private static final String LINE = "line";
    private static final int MAX_LOOKED_AT = 5_000;
    private static final int CHUNK = 200;

    private static final Duration DEFAULT_TTL = Duration.ofSeconds(30);

    private final OperationContext context;
    private final RunEngine engine;
    private final RunLookups lookups;

    private LockOperations(OperationContext context, RunLookups lookups) {
        this.context = context;
        this.engine = context.engine();
        this.lookups = lookups;
    }

    /** Adds all of them to {@code operations}. */
    public static void addTo(Operations operations, OperationContext context, RunLookups lookups) {
        LockOperations locks = addLeasesTo(operations, context, lookups);
        operations
                .on("pauseKeys", context.blocking(locks::pause))
                .on("resumeKeys", context.blocking(locks::resume))
                .on("getLine", context.listing(locks::line))
                .on("getHolds", context.listing(locks::holds));
    }

    /** Adds those that need no runs beside the leases. */
    public static LockOperations addLeasesTo(Operations operations, OperationContext context, RunLookups lookups) {
        LockOperations locks = new LockOperations(context, lookups);
        operations
                .on("listLocks", locks::list)
                .on("acquireLease", locks::acquire)
                .on("renewLease", locks::renew)
                .on("releaseLease", locks::release)
                .on("validateToken", locks::validate)
                .on("evictLease", context.blocking(locks::evict));
        return locks;
    }

    /** Keys in the order of their names, and on the first page the pauses in force. */
    private CompletionStage<Reply> list(Call call) {
        Optional<LockKey> key = call.keyParameter("key");
        Set<KeyView.KeyStatus> states =
                call.words("state").stream().map(KeyView.KeyStatus::valueOf).collect(Collectors.toSet());
        Optional<String> after = Cursor.place(call, CURSOR);
        if (key.isPresent() && !key.get().name().endsWith("*")) {
            CompletionStage<Boolean> changed = call.patience().isZero()
                    ? CompletableFuture.completedFuture(true)
                    : context.waits().until(call, engine.leases().awaitFree(key.get(), call.patience()));
            return changed.thenCompose(free -> context.blocking(call, () -> Reply.ok(one(key.get(), states))));
        }
        String prefix = key.map(named -> named.name().substring(0, named.name().length() - 1))
                .orElse("");
        Predicate<KeyView> wanted = wanted(call, states);
        boolean picks = !states.isEmpty()
                || call.optional("holder", String.class).isPresent()
                || call.optional("label", String.class).isPresent()
                || call.optional("heldFor", String.class).isPresent();
        // A caller that looks for few among many has many looked at at a time.
        int chunk = !picks ? call.limit() : Math.max(call.limit(), CHUNK);
        KeyQuery query = new KeyQuery(call.tenant(), prefix, after.orElse(null), chunk);
        return context.listing(call, () -> {
            FilteredPage<KeyView> page =
                    FilteredPage.of(last -> keys(query, last), wanted, call.limit(), MAX_LOOKED_AT);
            Facts json = Facts.with(
                            "items", page.items().stream().map(LockFacts::of).toList())
                    .and(
                            "cursor",
                            page.last(),
                            last -> Cursor.of(CURSOR, last.key().name()));
            return Reply.ok(after.isPresent() ? json : json.and("pauses", pauses(call.tenant())));
        });
    }

    private List<Facts> pauses(String tenant) {
        return engine.queries().pauses(tenant).stream().map(LockFacts::pause).toList();
    }

    /** One key, also if it is free. */
    private Facts one(LockKey key, Set<KeyView.KeyStatus> states) {
        Instant since = context.environment().clock().instant().minus(LockFacts.REFUSALS_SHOWN);
        Facts lock = context.service()
                .lock(key)
                .and("refusals", LockFacts.refusals(engine.queries().refusals(key, since)));
        boolean wanted = states.isEmpty() || states.contains(KeyView.KeyStatus.valueOf(lock.shown("state")));
        return Facts.with("items", wanted ? List.of(lock) : List.of());
    }

    private Reply line(Call call) {
        LineQuery query = new LineQuery(
                call.keyParameter("key").orElseThrow(),
                Cursor.place(call, LINE, LineQuery.Place::parse).orElse(LineQuery.Place.FRONT),
                call.limit());
        return Reply.ok(context.service().line(query, place -> Cursor.of(LINE, place.toString())));
    }

    private Reply holds(Call call) {
        LockKey key = call.keyParameter("key").orElseThrow();
        Instant now = context.environment().clock().instant();
        Instant since = call.since(now).orElse(null);
        Instant until = call.moment("until", now).orElse(null);
        if (since != null && until != null && !since.isBefore(until)) {
            throw Problem.invalid("query/until", "is not after since; leave it out for now");
        }
        return Reply.ok(context.service().holds(key, since, until, call.limit()));
    }

    /** Whether a key has the state, the holder and the label of its run that a call names. */
    private Predicate<KeyView> wanted(Call call, Set<KeyView.KeyStatus> states) {
        Optional<String> holder = call.optional("holder", String.class);
        Optional<RunQuery.Label> label = RunOperations.label(call);
        Optional<Instant> heldSince =
                call.moment("heldFor", context.environment().clock().instant());
        return view -> (states.isEmpty() || states.contains(view.state()))
                && holder.filter(name -> !view.currentLease()
                                .map(lease -> lease.holder().label())
                                .equals(Optional.of(name)))
                        .isEmpty()
                && heldSince
                        .filter(time -> view.currentLease()
                                .filter(lease -> !lease.grantedAt().isAfter(time))
                                .isEmpty())
                        .isEmpty()
                && (label.isEmpty()
                        || view.currentRun().filter(label.get()::isOf).isPresent());
    }

    private FilteredPage.Part<KeyView> keys(KeyQuery first, @Nullable KeyView last) {
        KeyQuery query = last == null
                ? first
                : new KeyQuery(first.tenant(), first.prefix(), last.key().name(), first.limit());
        return FilteredPage.Part.of(engine.queries().keys(query), query.limit());
    }

    private CompletionStage<Reply> acquire(Call call) {
        LockKey key = call.key("key");
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
        LockKey key = call.key("key");
        FencingToken token = token(call);
        Duration ttl = call.duration("ttl").orElse(DEFAULT_TTL);
        return engine.leases().renew(key, leaseId(call), token, ttl).thenApply(answer -> {
            if (answer instanceof Renewed.Lives lives) {
                return Reply.ok(LockFacts.lease(lives.lease(), ttl));
            }
            Renewed.Lost lost = (Renewed.Lost) answer;
            throw Refusals.leaseLost(key, token, lost.cause(), lost.current());
        });
    }

    private CompletionStage<Reply> release(Call call) {
        LockKey key = call.key("key");
        FencingToken token = token(call);
        return engine.leases().release(key, leaseId(call), token).thenApply(released -> {
            // A smaller token may be that of a release sent twice; no lease of the past has a greater one.
            Optional<LeaseRecord> forged =
                    released.successor().filter(current -> !current.token().isAfter(token));
            if (forged.isPresent()) {
                throw Refusals.leaseLost(key, token, LossCause.GONE, forged.get());
            }
            LossCause lapsed = released.lapsed();
            return lapsed == null ? Reply.nothing() : Reply.nothing().header("X-Lease-Lapsed", lapsed.name());
        });
    }

    private CompletionStage<Reply> validate(Call call) {
        LockKey key = call.keyParameter("key").orElseThrow();
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

    private Reply evict(Call call) {
        LockKey key = call.key("key");
        FencingToken token = token(call);
        String reason = call.body().getString("reason");
        EvictAnswer answer = engine.evict(key, token, call.actor(), reason);
        if (answer instanceof EvictAnswer.Evicted evicted) {
            return Reply.ok(context.service().evicted(key, evicted));
        }
        Optional<LeaseRecord> now = ((EvictAnswer.Mismatch) answer).holder();
        String why = now.map(lease -> "has token " + lease.token() + ", not " + token)
                .orElse("has no lease");
        throw Problem.of(ProblemCode.TOKEN_STALE, key.name() + " " + why + ".")
                .with("key", key.name())
                .with("token", token.value())
                .with("currentToken", now.map(lease -> lease.token().value()).orElse(null));
    }

    private Reply pause(Call call) {
        String pattern = pattern(call);
        Instant until = until(call.body().getString("until"));
        String reason = call.body().getString("reason");
        Duration time = until == null ? null : timeTo(until);
        Pause pause = engine.pause(call.tenant(), pattern, call.actor(), reason, time);
        return Reply.ok(LockFacts.pause(pause));
    }

    private Reply resume(Call call) {
        String pattern = pattern(call);
        Actor actor = call.actor();
        String reason = call.body().getString("reason", "no reason given");
        if (!engine.resume(call.tenant(), pattern, actor, reason)) {
            throw Call.notFound("pause of", pattern);
        }
        return Reply.ok(Facts.with(pattern.endsWith("*") ? "pattern" : "key", pattern)
                .and("paused", false)
                .and("reason", reason));
    }

    /** A key by its name, or a prefix of names and a star: one of the two fields, not both. */
    private static String pattern(Call call) {
        String key = call.body().getString("key");
        String pattern = call.body().getString("pattern");
        if ((key == null) == (pattern == null)) {
            throw Problem.invalid("/key", "name either key or pattern");
        }
        String named = key == null ? pattern : key;
        if (key != null && key.contains("*")) {
            throw Problem.invalid("/key", "contains a '*'; send it as pattern");
        }
        if (!named.equals("*")) {
            // A prefix obeys the same rules as a key.
            LockKey.of(call.tenant(), named.endsWith("*") ? named.substring(0, named.length() - 1) : named);
        }
        return named;
    }

    private static @Nullable Instant until(@Nullable String text) {
        try {
            return text == null ? null : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException invalid) {
            throw Problem.invalid("/until", "'" + text + "' is not a time like 2026-11-15T04:00:00Z");
        }
    }

    /** By the clock of the store, which ends the pause. */
    private Duration timeTo(Instant end) {
        Instant now = engine.queries().time();
        if (!end.isAfter(now)) {
            throw Problem.invalid(
                    "/until", "'" + TimeText.format(end) + "' is over; it is " + TimeText.format(now) + " now");
        }
        return Duration.between(now, end);
    }
}
