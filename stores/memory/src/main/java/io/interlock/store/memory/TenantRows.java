package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.run.JobName;
import io.interlock.run.Run;
import io.interlock.spi.run.rules.KeyRows.Reservation;
import io.interlock.spi.run.rules.QueueRules;
import io.interlock.spi.run.rules.StepContext.TenantSlots;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The totals of one tenant: how many runs are running, which keys wait only for a place under the tenant's limit,
 * which runs may be claimed, which keys are due. Guarded by the monitor of its {@link RunRows}.
 */
final class TenantRows {

    final String name;
    final DueKeys due = new DueKeys();
    private final NavigableMap<String, KeyRow> open = new TreeMap<>();
    private final Map<JobName, NavigableSet<Run>> claimable = new HashMap<>();
    private final NavigableMap<Integer, NavigableSet<Run>> waiting = new TreeMap<>();
    private final NavigableSet<Offer> offers =
            new TreeSet<>(Comparator.comparing(Offer::until).thenComparing(Offer::key));
    private int busy;
    private int keys;

    /** A key offered to a caller: a place that it may take until then. */
    private record Offer(Instant until, LockKey key) {}

    TenantRows(String name) {
        this.name = name;
    }

    /** Whether rows of keys refer to it. */
    boolean isNeeded() {
        return keys > 0;
    }

    void countKeys(int more) {
        keys += more;
    }

    void countBusy(int more) {
        busy += more;
    }

    /** Keys with runs that have not ended, in the order of their names. */
    NavigableMap<String, KeyRow> open() {
        return open;
    }

    /** The first runs of some jobs that may be claimed, in their order, without those in {@code except}. */
    List<Run> claimable(Set<JobName> jobs, Set<RunId> except, int limit) {
        if (claimable.isEmpty()) {
            return List.of();
        }
        return jobs.stream()
                .flatMap(job -> claimable.getOrDefault(job, Collections.emptyNavigableSet()).stream()
                        .filter(run -> !except.contains(run.id()))
                        .limit(limit))
                .sorted(QueueRules.ORDER)
                .limit(limit)
                .toList();
    }

    void addClaimable(Run run) {
        add(claimable, run.job(), run);
    }

    void removeClaimable(Run run) {
        remove(claimable, run.job(), run);
    }

    /** The key of {@code run} waits only for a place for that run. */
    void addWaiting(Run run) {
        add(waiting, run.line().tenantMaxRunning(), run);
    }

    void removeWaiting(Run run) {
        remove(waiting, run.line().tenantMaxRunning(), run);
    }

    boolean hasWaiting() {
        return !waiting.isEmpty();
    }

    void moveOffer(LockKey key, @Nullable Reservation before, @Nullable Reservation after) {
        if (before != null && before.until() != null) {
            offers.remove(new Offer(before.until(), key));
        }
        if (after != null && after.until() != null) {
            offers.add(new Offer(after.until(), key));
        }
    }

    /** The run that gets the next free place, or {@code null} if there is no place or no waiting key. */
    @Nullable
    Run nextForPlace(Instant now) {
        return firstWaiting(busy + offers(now), run -> true);
    }

    /**
     * The data of the tenant's other keys for a step on {@code key}.
     *
     * @param own the run with the reservation of that key, or {@code null}
     */
    TenantSlots slots(LockKey key, @Nullable Reservation own, Instant asOf) {
        boolean isOffered = own != null && own.until() != null && own.until().isAfter(asOf);
        return new TenantSlots() {
            @Override
            public int busy() {
                return busy + offers(asOf) - (isOffered ? 1 : 0);
            }

            @Override
            public @Nullable Rival firstRival(int busy) {
                Run first = firstWaiting(busy, run -> !run.key().equals(key));
                return first == null ? null : new Rival(QueueRules.place(first), first.number());
            }
        };
    }

    // A key that is offered to a caller counts as running, like one that is reserved for a worker: otherwise a later
    // run would get its place before the caller can take it.
    private int offers(Instant now) {
        int over = 0;
        for (Offer offer : offers) {
            if (offer.until().isAfter(now)) {
                break;
            }
            over++;
        }
        return offers.size() - over;
    }

    private @Nullable Run firstWaiting(int busy, Predicate<Run> which) {
        return waiting.tailMap(busy, false).values().stream()
                .flatMap(runs -> runs.stream().filter(which).limit(1))
                .min(QueueRules.ORDER)
                .orElse(null);
    }

    private static <K> void add(Map<K, NavigableSet<Run>> index, K by, Run run) {
        index.computeIfAbsent(by, any -> new TreeSet<>(QueueRules.ORDER)).add(run);
    }

    private static <K> void remove(Map<K, NavigableSet<Run>> index, K by, Run run) {
        index.computeIfPresent(by, (any, runs) -> runs.remove(run) && runs.isEmpty() ? null : runs);
    }

    /** Keys by the time of their next expiry or timeout. Guarded by the monitor of its {@link RunRows}. */
    static final class DueKeys {

        private final NavigableSet<Due> dues =
                new TreeSet<>(Comparator.comparing(Due::at).thenComparing(Due::key));

        private record Due(Instant at, LockKey key) {}

        /** Changes the due time of a key from {@code before} to {@code after}; {@code null} means never. */
        void move(LockKey key, @Nullable Instant before, @Nullable Instant after) {
            if (before != null) {
                dues.remove(new Due(before, key));
            }
            if (after != null) {
                dues.add(new Due(after, key));
            }
        }

        List<LockKey> at(Instant now, int limit) {
            return dues.stream()
                    .takeWhile(due -> !due.at().isAfter(now))
                    .limit(limit)
                    .map(Due::key)
                    .toList();
        }
    }
}
