package io.interlock.batch;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The requests that wait for a batch, in the order in which they came, and what is in flight.
 *
 * <p>It guarantees that at most {@code maxInFlight} batches are in flight, that no key is in two of them, and that requests
 * with a key in common leave the line in the order in which they joined it. If a request waits, a batch is in flight, or
 * {@link #nextLeader} has not been asked since the last one ended.
 *
 * <p>Safe for use by many threads: a monitor guards all of it, and nothing blocks while it is held.
 *
 * @param <Q> what is asked
 * @param <A> what is answered
 */
final class Line<Q, A> {

    /** A batch with fewer requests costs the store more than it saves those that would wait. */
    private static final int SMALLEST_SHARE = 3;

    /** How many requests a leader passes over at most, so that a long line for one key is not read through every time. */
    private static final int MOST_PASSED = 1_000;

    private final int maxBatch;
    private final int maxInFlight;
    private final Deque<Item<Q, A>> waiting = new ArrayDeque<>();
    private final Set<Object> keysInFlight = new HashSet<>();
    private int batchesInFlight;
    private int requestsInFlight;

    Line(int maxBatch, int maxInFlight) {
        this.maxBatch = maxBatch;
        this.maxInFlight = maxInFlight;
    }

    /**
     * Appends {@code item}.
     *
     * @return whether there may be a {@linkplain #nextLeader() next leader} now
     */
    synchronized boolean join(Item<Q, A> item) {
        waiting.add(item);
        return mayStart() && Collections.disjoint(item.keys(), keysInFlight);
    }

    /**
     * Takes the first request that can lead a batch of its own, if another batch may start. That batch is in flight from
     * here until its {@link #end}.
     */
    synchronized @Nullable Item<Q, A> nextLeader() {
        if (waiting.isEmpty() || !mayStart()) {
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

    /** The batch of {@code leader}, which comes first in it. */
    synchronized List<Item<Q, A>> batchOf(Item<Q, A> leader) {
        if (waiting.isEmpty()) {
            return List.of(leader);
        }
        List<Item<Q, A>> batch = new ArrayList<>();
        batch.add(leader);
        drain(batch, share(), maxBatch);
        return batch;
    }

    /** Says that {@code batch} is in flight no longer. */
    synchronized void end(List<Item<Q, A>> batch) {
        batchesInFlight--;
        requestsInFlight -= batch.size();
        batch.forEach(item -> item.keys().forEach(keysInFlight::remove));
    }

    // One batch starts at once; another one beside it only for as many requests as make a batch like the others.
    private boolean mayStart() {
        return batchesInFlight == 0 || (batchesInFlight < maxInFlight && waiting.size() >= share());
    }

    /** How many requests each batch would have if there were as many batches as there may be. */
    private int share() {
        return Math.max(SMALLEST_SHARE, (waiting.size() + requestsInFlight) / maxInFlight);
    }

    /**
     * Moves requests from the line to {@code batch}, in order, and their keys to those in flight.
     *
     * <p>It passes over requests with a key in another batch, and over those beyond {@code share}, which are left to other
     * leaders, unless this batch has all of their keys already: then no other leader could take them. A request with a key
     * in common with one passed over is passed over, too, and so keeps its place behind it.
     *
     * @param share how many requests the batch may have with keys of their own
     * @param most how many it may have in all
     */
    private void drain(List<Item<Q, A>> batch, int share, int most) {
        Set<Object> own = new HashSet<>();
        batch.forEach(item -> own.addAll(item.keys()));
        Set<Object> passedKeys = new HashSet<>();
        List<Item<Q, A>> passed = new ArrayList<>();
        while (batch.size() < most && passed.size() < MOST_PASSED && !waiting.isEmpty()) {
            Item<Q, A> item = waiting.remove();
            Collection<?> keys = item.keys();
            boolean fits = own.containsAll(keys) || (batch.size() < share && isFree(keys, own));
            if (fits && Collections.disjoint(keys, passedKeys)) {
                batch.add(item);
                own.addAll(keys);
                keysInFlight.addAll(keys);
                requestsInFlight++;
            } else {
                passed.add(item);
                passedKeys.addAll(keys);
            }
        }
        for (int i = passed.size() - 1; i >= 0; i--) {
            waiting.addFirst(passed.get(i));
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
