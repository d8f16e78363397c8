package io.interlock.service;

import io.interlock.FencingToken;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.TimeText;
import io.interlock.engine.RunEngine;
import io.interlock.run.KeyLine;
import io.interlock.run.KeyLine.LineQuery;
import io.interlock.run.KeyView;
import io.interlock.run.KeyView.KeyQuery;
import io.interlock.run.Pause;
import io.interlock.run.Run;
import io.interlock.run.RunQuery;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The operations about locks: the list, one key, its queue and its past holders, evictions and pauses. All block. Safe for use by many threads. */
public final class LockService {

    private static final String LOCKS = "locks";
    private static final String LINE = "line";
    private static final int MOST_LOOKED_AT = 5_000;
    private static final int CHUNK = 200;

    private final RunEngine engine;
    private final InstantSource clock;

    LockService(RunEngine engine, InstantSource clock) {
        this.engine = engine;
        this.clock = clock;
    }

    /** The lease, run, pause and waiters of {@code key} on {@code engine}; empty if it has none. */
    public static Optional<KeyView> view(RunEngine engine, LockKey key) {
        // Of all names that begin with a name, it is itself the first.
        return engine.queries().keys(new KeyQuery(key.tenant(), key.name(), null, 1)).stream()
                .filter(view -> view.key().equals(key))
                .findFirst();
    }

    /** {@code listLocks}: keys in the order of their names, and on the first page the pauses in force; or one key, also if it is free. */
    public Facts list(Request request) {
        return listing(request).get();
    }

    /** {@link #list} of a request that is read, and refused, now. */
    public Supplier<Facts> listing(Request request) {
        Request.Keys keys = request.keysAsked();
        Set<KeyView.KeyStatus> states = request.words("state", KeyView.KeyStatus::valueOf);
        Optional<String> after = request.cursor(LOCKS, place -> place);
        LockKey named = keys.one();
        if (named != null) {
            return () -> one(named, states);
        }
        Optional<String> holder = request.asked("holder");
        Optional<RunQuery.Label> label = request.label();
        Optional<Instant> heldSince = request.moment("heldFor", clock.instant());
        boolean picks = !states.isEmpty() || holder.isPresent() || label.isPresent() || heldSince.isPresent();
        int limit = request.limit();
        // A caller that looks for few among many has many looked at at a time.
        int chunk = picks ? Math.max(limit, CHUNK) : limit;
        Predicate<KeyView> wanted = view -> (states.isEmpty() || states.contains(view.state()))
                && holder.filter(name -> !isHeldBy(view, name)).isEmpty()
                && heldSince.filter(time -> !isHeldSince(view, time)).isEmpty()
                && (label.isEmpty()
                        || view.currentRun().filter(label.get()::isOf).isPresent());
        return () -> {
            FilteredPage<KeyView> page = FilteredPage.of(
                    last -> keys(new KeyQuery(
                            request.tenant(),
                            keys.prefix(),
                            last == null ? after.orElse(null) : last.key().name(),
                            chunk)),
                    wanted,
                    limit,
                    MOST_LOOKED_AT);
            Facts json = Facts.with(
                            "items", page.items().stream().map(LockFacts::of).toList())
                    .and(
                            "cursor",
                            page.last(),
                            last -> Request.cursorOf(LOCKS, last.key().name()));
            return after.isPresent() ? json : json.and("pauses", pauses(request.tenant()));
        };
    }

    private static boolean isHeldBy(KeyView view, String holder) {
        return view.currentLease()
                .filter(lease -> lease.holder().label().equals(holder))
                .isPresent();
    }

    private static boolean isHeldSince(KeyView view, Instant time) {
        return view.currentLease()
                .filter(lease -> !lease.grantedAt().isAfter(time))
                .isPresent();
    }

    private FilteredPage.Part<KeyView> keys(KeyQuery query) {
        return FilteredPage.Part.of(engine.queries().keys(query), query.limit());
    }

    private List<Facts> pauses(String tenant) {
        return engine.queries().pauses(tenant).stream().map(LockFacts::pause).toList();
    }

    private Facts one(LockKey key, Set<KeyView.KeyStatus> states) {
        Instant since = clock.instant().minus(LockFacts.REFUSALS_SHOWN);
        Facts lock = lock(key, view(engine, key))
                .and("refusals", LockFacts.refusals(engine.queries().refusals(key, since)));
        boolean wanted = states.isEmpty() || states.contains(KeyView.KeyStatus.valueOf(lock.shown("state")));
        return Facts.with("items", wanted ? List.of(lock) : List.of());
    }

    private Facts lock(LockKey key, Optional<KeyView> view) {
        return view.map(LockFacts::of)
                .orElseGet(() -> LockFacts.idle(
                        key,
                        engine.queries().pauses(key.tenant()),
                        engine.queries().time()));
    }

    /** {@code getLine}: a page of the queue of a key, from the front: {@code lock, total, samples, usualHold?, holderLeft?, items}. */
    public Facts line(Request request) {
        LineQuery query = new LineQuery(
                request.keyAsked().orElseThrow(),
                request.cursor(LINE, LineQuery.Place::parse).orElse(LineQuery.Place.FRONT),
                request.limit());
        KeyLine line = engine.queries().line(query);
        return LockFacts.line(line, lock(query.key(), Optional.ofNullable(line.view())))
                .and(
                        "cursor",
                        Optional.ofNullable(line.next())
                                .map(place -> Request.cursorOf(LINE, place))
                                .orElse(null));
    }

    /** {@code getHolds}: the last holds of a key: {@code key, since, until, items, unknown, pauses}. */
    public Facts holds(Request request) {
        LockKey key = request.keyAsked().orElseThrow();
        Instant now = clock.instant();
        Instant since = request.moment("since", now).orElse(null);
        Instant until = request.moment("until", now).orElse(null);
        if (since != null && until != null && !since.isBefore(until)) {
            throw Request.bad("until", "is not after since; leave it out for now");
        }
        Instant end = until == null ? engine.queries().time().plusMillis(1) : until;
        return new HoldHistory(engine.queries(), key, since, end, request.limit()).json(view(engine, key));
    }

    /** {@code evictLease}: {@code releasedToken, opensAt, nextRun?}. */
    public Facts evict(Request request) {
        LockKey key = request.key();
        FencingToken token = new FencingToken(request.body().number("token").orElseThrow());
        EvictAnswer answer = engine.evict(key, token, request.actor(), request.reason());
        Facts json = evicted(key, token, answer);
        try {
            return json.and("nextRun", engine.queue(key).stream().findFirst().orElse(null), Run::id);
        } catch (StoreUnavailableException away) {
            // The lease is evicted in any case.
            return json;
        }
    }

    /**
     * What an eviction of the lease with {@code token} did: {@code releasedToken, opensAt}.
     *
     * @throws Problem if the key has no such lease
     */
    public static Facts evicted(LockKey key, FencingToken token, EvictAnswer answer) {
        if (answer instanceof EvictAnswer.Evicted evicted) {
            return Facts.with("releasedToken", evicted.victim().token().value()).and("opensAt", evicted.opensAt());
        }
        LeaseRecord now = ((EvictAnswer.Mismatch) answer).current();
        String why = now == null ? "has no lease" : "has token " + now.token() + ", not " + token;
        throw Problem.of(ProblemCode.TOKEN_STALE, key.name() + " " + why + ".")
                .with("key", key.name())
                .with("token", token.value())
                .with("currentToken", now == null ? null : now.token().value());
    }

    /** {@code pauseKeys}: stops new grants under a key or a pattern. In this process, {@code for} may say how long, in place of {@code until}. */
    public Facts pause(Request request) {
        String pattern = pattern(request);
        Duration time = request.duration("for")
                .or(() -> request.body().text("until").map(this::timeTo))
                .orElse(null);
        Pause pause = engine.pause(request.tenant(), pattern, request.actor(), request.reason(), time);
        return LockFacts.pause(pause);
    }

    /** {@code resumeKeys}: ends a pause. */
    public Facts resume(Request request) {
        String pattern = pattern(request);
        if (!engine.resume(request.tenant(), pattern, request.actor(), request.reason())) {
            throw Problem.notFound("pause of", pattern);
        }
        return Facts.with(pattern.endsWith("*") ? "pattern" : "key", pattern)
                .and("paused", false)
                .and("reason", request.reason());
    }

    /** A key by its name, or a prefix of names and a star: one of the two fields, not both. */
    private static String pattern(Request request) {
        @Nullable String key = request.body().text("key").orElse(null);
        @Nullable String pattern = request.body().text("pattern").orElse(null);
        if ((key == null) == (pattern == null)) {
            throw Problem.invalid("/key", "name either key or pattern");
        }
        if (key != null && key.contains("*")) {
            throw Problem.invalid("/key", "contains a '*'; send it as pattern");
        }
        String named = key == null ? String.valueOf(pattern) : key;
        if (!named.equals("*")) {
            // A prefix obeys the same rules as a key.
            LockKey.of(request.tenant(), named.endsWith("*") ? named.substring(0, named.length() - 1) : named);
        }
        return named;
    }

    /** How long it is to that time, by the clock of the store, which ends the pause. */
    private Duration timeTo(String text) {
        Instant now = engine.queries().time();
        Instant end = time(text);
        if (!end.isAfter(now)) {
            throw Problem.invalid(
                    "/until", "'" + TimeText.format(end) + "' is over; it is " + TimeText.format(now) + " now");
        }
        return Duration.between(now, end);
    }

    private static Instant time(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException invalid) {
            throw Problem.invalid("/until", "'" + text + "' is not a time like 2026-11-15T04:00:00Z");
        }
    }
}
