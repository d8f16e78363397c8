package io.interlock.engine.access;

import io.interlock.Actor;
import io.interlock.BoundedMap;
import io.interlock.InvalidSettingException;
import io.interlock.LockKey;
import io.interlock.StoreUnavailableException;
import io.interlock.access.AccessKey;
import io.interlock.access.Role;
import io.interlock.batch.Coalescer;
import io.interlock.locks.runtime.Futures;
import io.interlock.run.RunTexts;
import io.interlock.spi.run.AccessKeys;
import io.interlock.time.Environment;
import io.interlock.time.Environment.Ticker;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Knows API keys. A key that was taken back counts nowhere any more {@link #FRESH} later, because no node believes an older
 * answer of the store; if the store does not answer, no key counts.
 *
 * <p>Nothing here blocks: the store is asked on the executor that was given. Safe for use by many threads.
 */
public final class KeyRing {

    /** How old an answer of the store about a key may be. Together with a slow request it stays below 5 s. */
    public static final Duration FRESH = Duration.ofSeconds(4);

    /** For how long the first key counts: it stands in the output of the server that made it. */
    public static final Duration FIRST_KEY = Duration.ofDays(30);

    private static final Duration FRESH_UNKNOWN = Duration.ofSeconds(1);

    /** How often at the most a node tells the store that a key is in use. */
    public static final Duration USE_NOTED_EVERY = Duration.ofMinutes(1);

    private static final Logger log = LoggerFactory.getLogger(KeyRing.class);

    private static final int MOST_SEEN = 100_000;
    private static final int MOST_USES = 500;

    private final AccessKeys keys;
    private final Environment environment;
    private final Executor blocking;
    private final KeyCache cache;
    private final ConcurrentMap<String, CompletableFuture<Optional<AccessKey>>> asked = new ConcurrentHashMap<>();
    private final List<Runnable> onRevoked = new CopyOnWriteArrayList<>();
    private final Set<String> seen = ConcurrentHashMap.newKeySet();
    // When the store was last told that a key is in use. As many as there are keys.
    private final ConcurrentMap<String, Long> noted = new ConcurrentHashMap<>();
    private final Coalescer<String, Boolean> uses;

    /**
     * A ring over the keys of a store.
     *
     * @param blocking where the store is asked; it may refuse, which is passed on
     */
    public KeyRing(AccessKeys keys, Environment environment, Executor blocking) {
        this.keys = keys;
        this.environment = environment;
        this.blocking = blocking;
        this.cache = new KeyCache(environment.ticker());
        this.uses = Coalescer.answeringAll(this::tellUses, List::of, MOST_USES, 1, blocking);
    }

    /** The key a client showed, if it is one and counts now. */
    public CompletionStage<Optional<AccessKey>> recognise(String presented) {
        Optional<ApiKey> parsed = ApiKey.parse(presented);
        if (parsed.isEmpty()) {
            return CompletableFuture.completedFuture(Optional.empty());
        }
        ApiKey shown = parsed.get();
        KeyCache.Kept known = cache.get(shown.id());
        return known != null
                ? CompletableFuture.completedFuture(check(shown, known.key()))
                : ask(shown.id()).thenApply(found -> check(shown, found));
    }

    /** The key with that id, for a caller who proved before that it has it, if it counts now. */
    public CompletionStage<Optional<AccessKey>> withId(String id) {
        KeyCache.Kept known = cache.get(id);
        return (known != null ? CompletableFuture.completedFuture(known.key()) : ask(id)).thenApply(this::counting);
    }

    /**
     * Whether a client showed the id of a key that the store has, as far as this node has seen; its secret is not looked at. Nothing is asked
     * for it: this tells a client that may be known from one that tries keys at random, when there are too many of those.
     */
    public boolean mayKnow(String presented) {
        return ApiKey.parse(presented)
                .filter(shown -> seen.contains(shown.id()))
                .isPresent();
    }

    /** Makes a key. The answer is the only time its secret is seen. */
    public CompletionStage<IssuedKey> issue(KeyOrder order, String actor) {
        return issue(order, Actor.of(actor), Integer.MAX_VALUE);
    }

    /**
     * Makes a key. The answer is the only time its secret is seen. It fails with {@link TenantLimitException} if the tenant has {@code most} that
     * count; those that are made at the same moment may exceed that.
     */
    public CompletionStage<IssuedKey> issue(KeyOrder order, Actor actor, int most) {
        return keep(ApiKey.draw(environment.random()), order, actor, most);
    }

    /** Keeps a key that was made elsewhere; one it has already changes nothing. */
    public CompletionStage<AccessKey> take(ApiKey key, KeyOrder order, String actor) {
        return keep(key, order, Actor.of(actor), Integer.MAX_VALUE).thenApply(IssuedKey::kept);
    }

    /**
     * Makes the first key, an admin's of tenant {@value LockKey#DEFAULT_TENANT} that may act for any tenant, for {@link #FIRST_KEY}; nothing
     * if an admin's key counts already.
     */
    public CompletionStage<Optional<IssuedKey>> bootstrap(String actor) {
        return list(null).thenCompose(all -> {
            Instant now = environment.clock().instant();
            if (all.stream().anyMatch(key -> key.role() == Role.ADMIN && key.isActive(now))) {
                return CompletableFuture.completedFuture(Optional.empty());
            }
            KeyOrder order = new KeyOrder(LockKey.DEFAULT_TENANT, Role.ADMIN, "bootstrap", FIRST_KEY);
            return keep(ApiKey.drawBootstrap(environment.random()), order, Actor.of(actor), Integer.MAX_VALUE)
                    .thenApply(Optional::of);
        });
    }

    /** Whether a key is the one that may act for any tenant. */
    public static boolean isBootstrap(AccessKey key) {
        return ApiKey.isBootstrap(key.id())
                && key.role() == Role.ADMIN
                && key.tenant().equals(LockKey.DEFAULT_TENANT);
    }

    /** Keys of one tenant or, with {@code null}, of all, the oldest first, also those that count no more. */
    public CompletionStage<List<AccessKey>> list(@Nullable String tenant) {
        return call(() -> {
            List<AccessKey> all = keys.listKeys(tenant);
            all.forEach(key -> see(key.id()));
            return all;
        });
    }

    /**
     * Takes a key of {@code tenant} back. It counts nowhere any more {@link #FRESH} later.
     *
     * @return the key as it is now; empty if the tenant has none called so
     */
    public CompletionStage<Optional<AccessKey>> revoke(String tenant, String id, String actor, String reason) {
        return revoke(tenant, id, Actor.of(actor), reason);
    }

    /** Like {@link #revoke(String, String, String, String)}, with the address and id of the request it came by. */
    public CompletionStage<Optional<AccessKey>> revoke(String tenant, String id, Actor actor, String reason) {
        return call(() -> {
            if (keys.findKey(id).filter(key -> key.tenant().equals(tenant)).isEmpty()) {
                return Optional.empty();
            }
            Optional<AccessKey> revoked = keys.revokeKey(id, actor, reason);
            cache.forget(id);
            onRevoked.forEach(Runnable::run);
            return revoked;
        });
    }

    /** The key whose id a client showed, whether its secret was right or not, if this node was told of it a moment ago. */
    public Optional<AccessKey> named(String presented) {
        return ApiKey.parse(presented).map(shown -> cache.get(shown.id())).flatMap(KeyCache.Kept::key);
    }

    /** Runs {@code action} whenever a key was revoked through this ring, before the revocation is answered. It must be quick. */
    public void onRevoked(Runnable action) {
        onRevoked.add(action);
    }

    private CompletionStage<IssuedKey> keep(ApiKey key, KeyOrder order, Actor actor, int most) {
        Instant now = environment.clock().instant();
        AccessKey kept = new AccessKey(
                key.id(),
                order.tenant(),
                order.role(),
                order.label(),
                key.hash(),
                now,
                order.lifetime() == null ? null : now.plus(order.lifetime()),
                null);
        return call(() -> {
            requireRoom(order.tenant(), now, most);
            AccessKey stored = keys.addKey(kept, actor);
            cache.forget(key.id());
            see(key.id());
            return new IssuedKey(key, stored);
        });
    }

    private <A> CompletionStage<A> call(Supplier<A> step) {
        return CompletableFuture.supplyAsync(step, blocking);
    }

    private void requireRoom(String tenant, Instant now, int most) {
        if (most < Integer.MAX_VALUE
                && keys.listKeys(tenant).stream()
                                .filter(key -> key.isActive(now))
                                .count()
                        >= most) {
            throw new TenantLimitException(
                    tenant, "API keys", "limits.api-keys", most, "revoke some that are not needed");
        }
    }

    /** Many requests with one key that is not cached are one question to the store. */
    private CompletableFuture<Optional<AccessKey>> ask(String id) {
        CompletableFuture<Optional<AccessKey>> answer = new CompletableFuture<>();
        CompletableFuture<Optional<AccessKey>> earlier = asked.putIfAbsent(id, answer);
        if (earlier != null) {
            return earlier;
        }
        long since = environment.ticker().nanos();
        Futures.begun(() -> call(() -> find(id, since))).whenComplete((found, failure) -> {
            asked.remove(id, answer);
            Futures.settle(answer, failure, () -> found);
        });
        return answer;
    }

    private Optional<AccessKey> find(String id, long since) {
        Optional<AccessKey> found = keys.findKey(id);
        cache.put(id, found, since);
        found.ifPresent(key -> see(key.id()));
        return found;
    }

    private void see(String id) {
        if (seen.size() < MOST_SEEN) {
            seen.add(id);
        }
    }

    private Optional<AccessKey> check(ApiKey shown, Optional<AccessKey> found) {
        if (found.isEmpty()) {
            shown.opensNothing();
            return Optional.empty();
        }
        return counting(found.filter(shown::opens));
    }

    private Optional<AccessKey> counting(Optional<AccessKey> found) {
        Instant now = environment.clock().instant();
        Optional<AccessKey> known = found.filter(key -> key.isActive(now));
        known.ifPresent(key -> noteUse(key.id()));
        return known;
    }

    /** Tells the store at most once a minute, beside the request. If it is not there, the next minute will do. */
    private void noteUse(String id) {
        long now = environment.ticker().nanos();
        Long before = noted.get(id);
        if (before != null && now - before < USE_NOTED_EVERY.toNanos()) {
            return;
        }
        if (before == null ? noted.putIfAbsent(id, now) != null : !noted.replace(id, before, now)) {
            return;
        }
        uses.submit(id).whenComplete((told, refused) -> {
            if (refused != null) {
                log.debug("that key {} is in use was not kept: {}", id, refused.toString());
            }
        });
    }

    private List<Boolean> tellUses(List<String> ids) {
        try {
            keys.keysUsed(new TreeSet<>(ids));
        } catch (StoreUnavailableException away) {
            log.debug("which keys are in use was not kept: {}", away.toString());
        }
        return Collections.nCopies(ids.size(), true);
    }

    /**
     * Remembers for a short while which keys there are, and which there are not. Ages count from before the store was asked, so
     * an answer is never older than its lifetime. Bounded: a client that tries ids at random pushes out only other unknown ids.
     *
     * <p>Safe for use by many threads.
     */
    private static final class KeyCache {

        private static final int MOST = 10_000;

        private final Ticker ticker;
        private final Map<String, Kept> known = BoundedMap.ofNewest(MOST);
        private final Map<String, Kept> unknown = BoundedMap.ofNewest(MOST);

        KeyCache(Ticker ticker) {
            this.ticker = ticker;
        }

        /** What the store said: the key, or nothing if there is none. */
        record Kept(Optional<AccessKey> key, long since) {

            boolean isOld(long now) {
                return now - since >= (key.isPresent() ? FRESH : FRESH_UNKNOWN).toNanos();
            }
        }

        /** What the store said about {@code id} a short while ago, or {@code null} if it must be asked. */
        synchronized @Nullable Kept get(String id) {
            Kept entry = known.containsKey(id) ? known.get(id) : unknown.get(id);
            if (entry != null && entry.isOld(ticker.nanos())) {
                forget(id);
                return null;
            }
            return entry;
        }

        synchronized void put(String id, Optional<AccessKey> key, long since) {
            forget(id);
            (key.isPresent() ? known : unknown).put(id, new Kept(key, since));
        }

        synchronized void forget(String id) {
            known.remove(id);
            unknown.remove(id);
        }
    }

    /**
     * A key just made: the only time its secret is known.
     *
     * @param secret for its owner, to be shown once
     */
    public record IssuedKey(ApiKey secret, AccessKey kept) {}

    /**
     * What an API key is wanted for.
     *
     * @param lifetime how long it counts, or {@code null} for until it is revoked
     */
    public record KeyOrder(
            String tenant,
            Role role,
            String label,
            @Nullable Duration lifetime) {

        public KeyOrder {
            // A key's tenant follows the rule of a lock's tenant; the name does not matter here.
            LockKey.of(tenant, "any");
            RunTexts.require("label", label, "say whose key it is");
            if (lifetime != null && (lifetime.isNegative() || lifetime.isZero())) {
                throw new InvalidSettingException("lifetime", lifetime, "must be above 0s", "leave it out for no end");
            }
        }
    }
}
