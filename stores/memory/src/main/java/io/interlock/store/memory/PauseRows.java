package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.run.Pause;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Pauses in force, and ended pauses whose keys are not all settled yet. The end of a pause is one entry, regardless of
 * its number of keys; the keys are settled later, in pages. Guarded by the monitor of its {@link RunRows}.
 */
final class PauseRows {

    /** By tenant and pattern. */
    private final Map<String, Map<String, Pause>> pauses = new HashMap<>();

    private final NavigableSet<Pause> byEnd =
            new TreeSet<>(Comparator.comparing((Pause pause) -> Objects.requireNonNull(pause.until()))
                    .thenComparing(Pause::tenant)
                    .thenComparing(Pause::pattern));
    private final Deque<Ended> ended = new ArrayDeque<>();

    /** An ended pause, and how far its keys are settled. */
    private static final class Ended {
        private final Pause pause;
        private @Nullable String last;

        Ended(Pause pause) {
            this.pause = pause;
        }

        /** The next names that the pause covered. */
        List<KeyRow> next(NavigableMap<String, KeyRow> open, int limit) {
            boolean isPrefix = pause.pattern().endsWith("*");
            String begin =
                    isPrefix ? pause.pattern().substring(0, pause.pattern().length() - 1) : pause.pattern();
            NavigableMap<String, KeyRow> rest = last == null ? open.tailMap(begin, true) : open.tailMap(last, false);
            List<KeyRow> found = rest.values().stream()
                    .takeWhile(row -> pause.covers(row.key))
                    .limit(limit)
                    .toList();
            if (!found.isEmpty()) {
                last = found.get(found.size() - 1).key.name();
            }
            return found;
        }
    }

    /** The pauses of a tenant, possibly including some that have just expired. */
    List<Pause> of(String tenant) {
        return List.copyOf(pauses.getOrDefault(tenant, Map.of()).values());
    }

    /** Whether a pause covers the key at {@code now}. */
    boolean cover(LockKey key, Instant now) {
        return of(key.tenant()).stream().anyMatch(pause -> pause.covers(key) && pause.lastsAt(now));
    }

    /** Pauses in force, in no order. */
    List<Pause> inForce(Instant now) {
        return pauses.values().stream()
                .flatMap(ofTenant -> ofTenant.values().stream())
                .filter(pause -> pause.lastsAt(now))
                .toList();
    }

    /** Begins a pause, and replaces one with the same pattern. */
    void begin(Pause pause) {
        remove(pause.tenant(), pause.pattern());
        pauses.computeIfAbsent(pause.tenant(), tenant -> new HashMap<>()).put(pause.pattern(), pause);
        if (pause.until() != null) {
            byEnd.add(pause);
        }
    }

    /** Ends a pause, if it is in force. Its keys have to be settled. */
    Optional<Pause> end(String tenant, String pattern, Instant now) {
        endThoseOver(now);
        Pause pause = remove(tenant, pattern);
        if (pause != null) {
            ended.add(new Ended(pause));
        }
        return Optional.ofNullable(pause);
    }

    /** Ends expired pauses. Their keys have to be settled. */
    void endThoseOver(Instant now) {
        while (!byEnd.isEmpty() && !byEnd.first().lastsAt(now)) {
            Pause over = byEnd.first();
            remove(over.tenant(), over.pattern());
            ended.add(new Ended(over));
        }
    }

    /**
     * Up to {@code limit} further keys of ended pauses, of {@code pause} or {@code tenant} only, or with {@code null}
     * of any.
     */
    List<KeyRow> nextToSettle(
            @Nullable Pause pause,
            @Nullable String tenant,
            int limit,
            Function<String, NavigableMap<String, KeyRow>> openKeys) {
        List<KeyRow> found = new ArrayList<>();
        for (Iterator<Ended> all = ended.iterator(); all.hasNext() && found.size() < limit; ) {
            Ended over = all.next();
            if ((pause != null && !over.pause.equals(pause))
                    || (tenant != null && !over.pause.tenant().equals(tenant))) {
                continue;
            }
            int room = limit - found.size();
            List<KeyRow> next = over.next(openKeys.apply(over.pause.tenant()), room);
            found.addAll(next);
            if (next.size() < room) {
                all.remove();
            }
        }
        return found;
    }

    private @Nullable Pause remove(String tenant, String pattern) {
        Map<String, Pause> ofTenant = pauses.get(tenant);
        if (ofTenant == null) {
            return null;
        }
        Pause pause = ofTenant.remove(pattern);
        if (ofTenant.isEmpty()) {
            pauses.remove(tenant);
        }
        if (pause != null && pause.until() != null) {
            byEnd.remove(pause);
        }
        return pause;
    }
}
