package io.interlock.store.memory;

import io.interlock.LockKey;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Keys by the time of their next expiry or timeout. Guarded by the monitor of its {@link RunRows}. */
final class DueKeys {

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

    /** Up to {@code limit} keys that are due, the longest due first. */
    List<LockKey> at(Instant now, int limit) {
        return dues.stream()
                .takeWhile(due -> !due.at().isAfter(now))
                .limit(limit)
                .map(Due::key)
                .toList();
    }
}
