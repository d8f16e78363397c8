package io.interlock.batch;

import io.interlock.LockKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for a batch, and the keys in flight. Tenants take turns; the requests of a tenant are served
 * in order.
 *
 * <p>It guarantees that at most {@code maxInFlight} batches are in flight, that no key is in two of them, and that
 * requests of a tenant with a common key keep their order. If a request waits, a batch is in flight, or
 * {@link #nextLeader} has not been called since the last one ended. A tenant with many requests adds at most one
 * request in front of each request of another.
 *
 * <p>Thread-safe: a monitor guards all state, and nothing blocks while it is held.
 */
final class PendingRequests<Q, A> {

    /** A smaller batch costs the store more than it saves. */
    private static final int SMALLEST_SHARE = 3;

    /** How many requests a leader skips at most, so that it does not read a long queue for one key every time. */
    private static final int MOST_PASSED = 1_000;

    private final int maxBatch;
    private final int maxInFlight;
    private final boolean gathers;
    private final Set<Item<Q, A>> aloneInFlight = new HashSet<>();
    private final Map<String, Tenant<Q, A>> tenants = new HashMap<>();
    private final Deque<Tenant<Q, A>> turns = new ArrayDeque<>();
    private int waiting;
    private final Set<Object> keysInFlight = new HashSet<>();
    private int batchesInFlight;
    private int requestsInFlight;

    /** {@code gathers}: a further batch starts only beside batches of a single request. */
    PendingRequests(int maxBatch, int maxInFlight, boolean gathers) {
        this.maxBatch = maxBatch;
        this.maxInFlight = maxInFlight;
        this.gathers = gathers;
    }

    private static final class Tenant<Q, A> {
        private final String name;
        private final Deque<Item<Q, A>> items = new ArrayDeque<>();
        private final List<Item<Q, A>> passed = new ArrayList<>();

        Tenant(String name) {
            this.name = name;
        }

        /** Puts back the requests that a leader has skipped. */
        void restore() {
            for (int i = passed.size() - 1; i >= 0; i--) {
                items.addFirst(passed.get(i));
            }
            passed.clear();
        }
    }

    private static String tenantOf(Item<?, ?> item) {
        for (Object key : item.keys) {
            if (key instanceof LockKey lock) {
                return lock.tenant();
            }
        }
        return "";
    }

    /**
     * Appends {@code item}.
     *
     * @return whether there may be a {@linkplain #nextLeader() next leader} now
     */
    synchronized boolean join(Item<Q, A> item) {
        Tenant<Q, A> tenant = tenants.get(tenantOf(item));
        if (tenant == null) {
            tenant = new Tenant<>(tenantOf(item));
            tenants.put(tenant.name, tenant);
            turns.addLast(tenant);
        }
        tenant.items.add(item);
        waiting++;
        return mayStart() && Collections.disjoint(item.keys, keysInFlight);
    }

    /**
     * Takes the first request that can lead a batch, if another batch may start. That batch is in flight until its
     * {@link #end}.
     */
    synchronized @Nullable Item<Q, A> nextLeader() {
        if (waiting == 0 || !mayStart()) {
            return null;
        }
        List<Item<Q, A>> taken = new ArrayList<>();
        drain(taken, 1, 1);
        if (taken.isEmpty()) {
            return null;
        }
        batchesInFlight++;
        return taken.get(0);
    }

    /** The batch of {@code leader}, which is its first request. */
    synchronized List<Item<Q, A>> batchOf(Item<Q, A> leader) {
        List<Item<Q, A>> batch = new ArrayList<>();
        batch.add(leader);
        if (waiting > 0) {
            drain(batch, gathers ? maxBatch : share(), maxBatch);
        }
        if (batch.size() == 1) {
            aloneInFlight.add(leader);
        }
        return batch;
    }

    synchronized void end(List<Item<Q, A>> batch) {
        batchesInFlight--;
        aloneInFlight.remove(batch.get(0));
        requestsInFlight -= batch.size();
        batch.forEach(item -> item.keys.forEach(keysInFlight::remove));
    }

    // One batch starts at once; a further one only for enough requests to have the size of the others.
    private boolean mayStart() {
        return batchesInFlight == 0
                || (batchesInFlight < maxInFlight
                        && (gathers
                                ? waiting >= SMALLEST_SHARE && aloneInFlight.size() == batchesInFlight
                                : waiting >= share()));
    }

    /** The size of a batch if the requests were spread over the maximum number of batches. */
    private int share() {
        return Math.max(SMALLEST_SHARE, (waiting + requestsInFlight) / maxInFlight);
    }

    /**
     * Moves waiting requests to {@code batch}, one of each tenant in turn, and their keys to those in flight.
     *
     * <p>It skips requests with a key in another batch, and requests beyond {@code share}, which are left to other
     * leaders, unless this batch already has all of their keys, because then no other leader could take them. A
     * request that shares a key with a skipped one is skipped, too, and so keeps its place behind it.
     *
     * @param share how many requests with new keys the batch may have
     * @param most the maximum size of the batch
     */
    private void drain(List<Item<Q, A>> batch, int share, int most) {
        Set<Object> own = new HashSet<>();
        batch.forEach(item -> own.addAll(item.keys));
        Set<Object> passedKeys = new HashSet<>();
        List<Tenant<Q, A>> done = new ArrayList<>();
        Set<Tenant<Q, A>> passedOver = new HashSet<>();
        int passed = 0;
        while (batch.size() < most && passed < MOST_PASSED && !turns.isEmpty()) {
            Tenant<Q, A> tenant = turns.remove();
            Item<Q, A> item = tenant.items.remove();
            Collection<?> keys = item.keys;
            boolean fits = own.containsAll(keys) || (batch.size() < share && isFree(keys, own));
            if (fits && Collections.disjoint(keys, passedKeys)) {
                batch.add(item);
                own.addAll(keys);
                keysInFlight.addAll(keys);
                requestsInFlight++;
                waiting--;
            } else {
                passed++;
                passedOver.add(tenant);
                tenant.passed.add(item);
                passedKeys.addAll(keys);
            }
            (tenant.items.isEmpty() ? done : turns).add(tenant);
        }
        passedOver.forEach(Tenant::restore);
        for (Tenant<Q, A> tenant : done) {
            if (tenant.items.isEmpty()) {
                tenants.remove(tenant.name);
            } else {
                turns.addLast(tenant);
            }
        }
    }

    private boolean isFree(Collection<?> keys, Set<Object> own) {
        for (Object key : keys) {
            if (keysInFlight.contains(key) && !own.contains(key)) {
                return false;
            }
        }
        return true;
    }
}
