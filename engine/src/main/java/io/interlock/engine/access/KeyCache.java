package io.interlock.engine.access;

import io.interlock.access.AccessKey;
import io.interlock.time.Ticker;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Remembers for a short while which keys there are, and which there are not. Ages count from before the store was asked, so
 * an answer is never older than its lifetime. Bounded: whoever tries ids at random pushes out only other unknown ids.
 *
 * <p>Safe for use by many threads.
 */
final class KeyCache {

    private static final int MOST = 10_000;

    private final Ticker ticker;
    private final Side known;
    private final Side unknown;

    KeyCache(Ticker ticker, Duration knownFor, Duration unknownFor) {
        this.ticker = ticker;
        this.known = new Side(knownFor);
        this.unknown = new Side(unknownFor);
    }

    /**
     * What the store said.
     *
     * @param key the key, or nothing if there is none
     * @param since when it was asked
     */
    record Kept(Optional<AccessKey> key, long since) {}

    /** What the store said about {@code id} a short while ago, or {@code null} if it must be asked. */
    synchronized @Nullable Kept get(String id) {
        long now = ticker.nanos();
        Kept entry = known.get(id, now);
        return entry != null ? entry : unknown.get(id, now);
    }

    /** Keeps what the store said to a question asked at {@code since}. */
    synchronized void put(String id, Optional<AccessKey> key, long since) {
        forget(id);
        (key.isPresent() ? known : unknown).entries.put(id, new Kept(key, since));
    }

    synchronized void forget(String id) {
        known.entries.remove(id);
        unknown.entries.remove(id);
    }

    private static final class Side {

        private final long lifetime;

        private final Map<String, Kept> entries = new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<String, Kept> eldest) {
                return size() > MOST;
            }
        };

        Side(Duration lifetime) {
            this.lifetime = lifetime.toNanos();
        }

        @Nullable
        Kept get(String id, long now) {
            Kept entry = entries.get(id);
            if (entry == null) {
                return null;
            }
            if (now - entry.since >= lifetime) {
                entries.remove(id);
                return null;
            }
            return entry;
        }
    }
}
