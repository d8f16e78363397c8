package io.interlock.client;

import io.interlock.FencingToken;
import io.interlock.Holder;
import io.interlock.InvalidSettingException;
import io.interlock.LeaseId;
import io.interlock.LeaseQuery;
import io.interlock.LeaseQuery.LeasePage;
import io.interlock.LeaseRecord;
import io.interlock.LeaseRecord.EvictAnswer;
import io.interlock.LeaseRecord.Eviction;
import io.interlock.LeaseTerms;
import io.interlock.LockKey;
import io.interlock.LossCause;
import io.interlock.Refusal;
import io.interlock.RunId;
import io.interlock.StoreCapabilities;
import io.interlock.StoreUnavailableException;
import io.interlock.client.ServerConnection.Answer;
import io.interlock.service.Facts;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.LeaseStore;
import io.interlock.spi.LeaseStore.AcquireAnswer;
import io.interlock.spi.LeaseStore.AcquireRequest;
import io.interlock.spi.LeaseStore.EvictRequest;
import io.interlock.spi.LeaseStore.ReleaseAnswer;
import io.interlock.spi.LeaseStore.ReleaseRequest;
import io.interlock.spi.LeaseStore.RenewAnswer;
import io.interlock.spi.LeaseStore.RenewRequest;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The leases of a server, in the words of stores, so that renewal, loss, waiting and the recovery of unclear answers are those of the lock
 * library. The server decides and keeps the tenant; the keys' tenant only goes into messages. A server does not show the ids of leases,
 * which are secrets of their holders: records of other holders have the id {@link #HIDDEN}. Safe for use by many threads.
 */
final class ServerLeaseStore implements LeaseStore {

    /** The id of a lease that another client holds. */
    static final LeaseId HIDDEN = new LeaseId(new UUID(0, 0));

    private static final Duration MAX_LEASE = Duration.ofHours(24);
    private static final Duration MOMENT = Duration.ofMillis(1);
    private static final Duration WATCH = Duration.ofSeconds(20);
    private static final int PARALLEL = 16;
    private static final Eviction EVICTED_ELSEWHERE = new Eviction("unknown", "evicted at the server", Instant.EPOCH);
    private static final int CONFLICT = 409;
    private static final int GONE = 410;
    private static final int STALE = 412;

    private final ServerConnection server;
    private final Environment environment;
    private final Map<LockKey, LeaseRecord> held = new ConcurrentHashMap<>();
    private final Set<LongPoll> polls = ConcurrentHashMap.newKeySet();
    private final Timers pauses;
    private volatile boolean closed;

    ServerLeaseStore(ServerConnection server, Environment environment) {
        this.server = server;
        this.environment = environment;
        this.pauses = environment.timers("interlock-long-poll-pauses");
    }

    @Override
    public StoreCapabilities capabilities() {
        return new StoreCapabilities(
                server.toString(), StoreCapabilities.Reach.NETWORK, true, MAX_LEASE, MOMENT, PARALLEL);
    }

    @Override
    public Answers<AcquireAnswer> tryAcquire(List<AcquireRequest> requests) {
        return alone(requests, this::acquire);
    }

    private AcquireAnswer acquire(AcquireRequest request) {
        if (request.takeover().ask()) {
            throw new InvalidSettingException(
                    "takeoverProbe",
                    server,
                    "is a server, which takes expired leases over without a probe",
                    "leave the probe out, or use the store itself");
        }
        List<AcquireAnswer.Grant> grants = new ArrayList<>();
        for (LockKey key : request.keys()) {
            Answer answer = clear(() -> server.tryPost("/locks/acquire", acquire(key, request)));
            if (answer.status() == CONFLICT) {
                // All or none. If one cannot be given back now, the answer is unclear, and the library looks for them.
                grants.forEach(grant -> release(new ReleaseRequest(
                        grant.lease().key(), request.id(), grant.lease().token())));
                return new AcquireAnswer.Refused(refusal(key, answer.body()));
            }
            LeaseRecord lease = lease(
                    key, request.holder(), answer.good().body(), request.terms().ttl());
            held.put(key, lease);
            grants.add(new AcquireAnswer.Grant(lease, null));
        }
        return new AcquireAnswer.Granted(grants);
    }

    private static Facts acquire(LockKey key, AcquireRequest request) {
        LeaseTerms terms = request.terms();
        return Facts.with("key", key.name())
                .and("leaseId", request.id())
                .and("ttl", terms.ttl())
                .and("lockDelay", terms.lockDelay().isZero() ? null : terms.lockDelay())
                // A store sends wake-ups about a key only if it knows that a client waits for it.
                .and("wait", request.waits() ? MOMENT : null)
                .and("holder", request.holder().label());
    }

    /** By the request once more: a grant that it had is returned again. */
    @Override
    public List<LeaseRecord> granted(AcquireRequest request) {
        return acquire(request) instanceof AcquireAnswer.Granted granted
                ? granted.grants().stream().map(AcquireAnswer.Grant::lease).toList()
                : List.of();
    }

    @Override
    public Answers<RenewAnswer> renew(List<RenewRequest> requests) {
        return alone(requests, this::renew);
    }

    private RenewAnswer renew(RenewRequest request) {
        Facts body = proof(request.key(), request.id(), request.token()).and("ttl", request.ttl());
        LeaseRecord known = held(request.key(), request.token());
        Answer answer = clear(() -> server.heartbeat("/locks/renew", body, request.ttl()));
        if (answer.status() == GONE) {
            return new RenewAnswer.Lost(cause(answer.body()), null);
        }
        LeaseRecord renewed = lease(
                request.key(),
                known == null ? new Holder("unknown", "unknown") : known.holder(),
                answer.good().body(),
                request.ttl());
        if (known != null) {
            held.replace(request.key(), known, renewed);
        }
        return new RenewAnswer.Renewed(renewed);
    }

    @Override
    public Answers<ReleaseAnswer> release(List<ReleaseRequest> requests) {
        return alone(requests, this::release);
    }

    private ReleaseAnswer release(ReleaseRequest request) {
        Facts body = proof(request.key(), request.id(), request.token());
        // Before it is released: another thread may have the key next, before the answer is here.
        LeaseRecord known = held(request.key(), request.token());
        Answer answer = clear(() -> server.tryPost("/locks/release", body));
        String lapsed = answer.status() == GONE ? null : answer.good().lapsed();
        if (known != null) {
            held.remove(request.key(), known);
        }
        if (answer.status() == GONE || known == null || LossCause.GONE.name().equals(lapsed)) {
            return new ReleaseAnswer.Gone(null);
        }
        if (lapsed == null) {
            return new ReleaseAnswer.Released(known);
        }
        Eviction eviction = lapsed.equals(LossCause.EVICTED.name()) ? EVICTED_ELSEWHERE : null;
        return new ReleaseAnswer.Lapsed(evicted(known, eviction));
    }

    private static LeaseRecord evicted(LeaseRecord lease, @Nullable Eviction eviction) {
        return new LeaseRecord(
                lease.key(),
                lease.id(),
                lease.holder(),
                lease.token(),
                lease.grantedAt(),
                lease.expiresAt(),
                lease.observedAt(),
                eviction);
    }

    private @Nullable LeaseRecord held(LockKey key, FencingToken token) {
        LeaseRecord known = held.get(key);
        return known != null && known.token().equals(token) ? known : null;
    }

    @Override
    public EvictAnswer evict(EvictRequest request) {
        LockKey key = request.key();
        LeaseRecord before = find(key).orElse(null);
        Facts body = Facts.with("key", key.name())
                .and("token", request.expected().value())
                .and("reason", request.reason());
        Answer answer = clear(() -> server.tryPost("/locks/evict", body));
        if (answer.status() == STALE) {
            return new EvictAnswer.Mismatch(find(key).orElse(null));
        }
        Facts evicted = answer.good().body();
        Instant opensAt = evicted.time("opensAt").orElse(Instant.EPOCH);
        Eviction eviction = new Eviction(request.actor().name(), request.reason(), opensAt);
        LeaseRecord victim = before != null && before.token().equals(request.expected())
                ? evicted(before, eviction)
                : record(key, evicted, request.expected().value(), opensAt, eviction);
        return new EvictAnswer.Evicted(victim, opensAt);
    }

    @Override
    public List<Optional<LeaseRecord>> find(List<LockKey> keys) {
        return keys.stream().map(this::find).toList();
    }

    private Optional<LeaseRecord> find(LockKey key) {
        return clear(() -> server.lock(key.name())).flatMap(lock -> seen(key, lock));
    }

    /** The page may be smaller than asked for: keys that only runs wait for are no leases. */
    @Override
    public LeasePage list(LeaseQuery query) {
        String prefix = query.namePrefix().isEmpty() ? "" : query.namePrefix() + "*";
        String tenant = query.tenantFilter().orElse(LockKey.DEFAULT_TENANT);
        List<LeaseRecord> found = clear(() -> server.items(Integer.MAX_VALUE, "/locks", "key", prefix)).stream()
                .map(lock -> seen(LockKey.of(tenant, lock.shown("key")), lock))
                .flatMap(Optional::stream)
                .filter(lease -> query.matches(lease.key()) && !lease.isExpired())
                .limit(query.limit() + 1L)
                .toList();
        return LeasePage.of(found, query.limit());
    }

    /** The server sweeps. */
    @Override
    public List<LeaseRecord> sweep(int limit) {
        return List.of();
    }

    @Override
    public Instant bumpEpoch(String reason) {
        throw new InvalidSettingException(
                "store", server, "is a server; an epoch is started at the store itself", "use the server's own store");
    }

    @Override
    public ChangeFeed changes() {
        return (key, lookAgain) -> {
            LongPoll poll = LongPoll.begin(
                    environment,
                    pauses,
                    hangUp -> !server.getWithin(WATCH, hangUp, "/locks", "key", key.name())
                            .isEmpty(),
                    lookAgain);
            polls.add(poll);
            if (closed) {
                poll.close();
            }
            return () -> {
                poll.close();
                polls.remove(poll);
            };
        };
    }

    @Override
    public void close() {
        closed = true;
        polls.forEach(LongPoll::close);
        pauses.close();
    }

    /** The answer to a request that is alone. Several are left open: the library then sends them one by one, at the same time. */
    static <R, A> Answers<A> alone(List<R> requests, Function<R, A> step) {
        return requests.size() > 1
                ? Answers.partly(Collections.<@Nullable A>nCopies(requests.size(), null))
                : Answers.of(List.of(step.apply(requests.get(0))));
    }

    private <T> T clear(Supplier<T> question) {
        if (closed) {
            throw new StoreUnavailableException(server.toString(), "is closed");
        }
        return server.clear(question);
    }

    private static Facts proof(LockKey key, LeaseId id, FencingToken token) {
        return Facts.with("key", key.name()).and("leaseId", id).and("token", token.value());
    }

    /** A lease of this client, as the answer to an acquire or a renewal has it. */
    private LeaseRecord lease(LockKey key, Holder holder, Facts answer, Duration ttl) {
        Instant until = answer.time("expiresAt").orElseThrow();
        Instant now = answer.time("observedAt").orElse(until.minus(ttl));
        FencingToken token = new FencingToken(answer.number("token").orElseThrow());
        LeaseRecord known = held(key, token);
        Instant since = known == null ? now : known.grantedAt();
        return new LeaseRecord(key, LeaseId.parse(answer.shown("leaseId")), holder, token, since, until, now, null);
    }

    /** The lease in a lock as a server lists it, if it has one. */
    private Optional<LeaseRecord> seen(LockKey key, Facts lock) {
        if (lock.number("token").isEmpty()) {
            return Optional.empty();
        }
        Instant now = lock.time("observedAt").orElseThrow();
        Facts evicted = lock.in("eviction");
        return Optional.of(record(
                key,
                lock,
                lock.number("token").orElseThrow(),
                now.plus(lock.duration("leaseLeft").orElse(Duration.ZERO)),
                evicted.isEmpty()
                        ? null
                        : new Eviction(
                                evicted.shown("actor"),
                                evicted.shown("reason"),
                                evicted.time("at").orElse(now))));
    }

    private LeaseRecord record(LockKey key, Facts told, long number, Instant until, @Nullable Eviction eviction) {
        Facts holder = told.in("holder");
        Instant now = told.time("observedAt").orElse(until);
        FencingToken token = new FencingToken(number);
        LeaseRecord own = held(key, token);
        String label = holder.text("holder").orElse("unknown");
        RunId run = holder.text("runId").map(RunId::parse).orElse(null);
        return new LeaseRecord(
                key,
                own == null ? HIDDEN : own.id(),
                own == null ? new Holder(label, label, run) : own.holder(),
                token,
                holder.time("since").orElse(now),
                until,
                now,
                eviction);
    }

    private Refusal refusal(LockKey key, Facts problem) {
        String code = problem.text("code").orElse("lock-held");
        if (problem.number("currentToken").isPresent()
                && problem.time("expiresAt").isPresent()) {
            LeaseRecord current = record(
                    key,
                    problem,
                    problem.number("currentToken").getAsLong(),
                    problem.time("expiresAt").orElseThrow(),
                    null);
            if (code.equals("lock-delayed")) {
                return new Refusal.Delayed(current, problem.time("opensAt").orElse(current.expiresAt()));
            }
            if (code.equals("lock-held")) {
                return new Refusal.Held(current);
            }
        }
        return byServer(key, code, problem);
    }

    static Refusal byServer(LockKey key, String code, Facts told) {
        return new Refusal.ByServer(
                key,
                code,
                told.text("explanation").orElse(told.shown("detail")),
                Duration.ofMillis(told.number("retryAfterMs").orElse(0)));
    }

    static LossCause cause(Facts problem) {
        String told = problem.shown("cause");
        for (LossCause cause : LossCause.values()) {
            if (cause.name().equalsIgnoreCase(told)) {
                return cause;
            }
        }
        return LossCause.GONE;
    }
}
