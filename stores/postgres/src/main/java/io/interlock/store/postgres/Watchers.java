package io.interlock.store.postgres;

import io.interlock.spi.ChangeFeed;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Who in this process wants to hear about which key, or about whose work. Safe for use by many threads. */
final class Watchers {

    private static final Logger log = LoggerFactory.getLogger(Watchers.class);

    private final Map<Long, Set<Watcher>> byHash = new ConcurrentHashMap<>();

    ChangeFeed.Subscription add(long about, Runnable lookAgain) {
        Watcher watcher = new Watcher(about, lookAgain);
        byHash.compute(about, (hash, known) -> {
            Set<Watcher> watchers = known == null ? ConcurrentHashMap.newKeySet() : known;
            watchers.add(watcher);
            return watchers;
        });
        return watcher;
    }

    /** Whether anybody wants to hear about it. */
    boolean anybodyHears(long about) {
        return byHash.containsKey(about);
    }

    void wake(long hash) {
        byHash.getOrDefault(hash, Set.of()).forEach(Watcher::wake);
    }

    /** For when wake-ups may have been missed. */
    void wakeAll() {
        byHash.values().forEach(watchers -> watchers.forEach(Watcher::wake));
    }

    // Not a record: two subscriptions with equal parts are still two.
    private final class Watcher implements ChangeFeed.Subscription {

        private final long hash;
        private final Runnable lookAgain;

        Watcher(long hash, Runnable lookAgain) {
            this.hash = hash;
            this.lookAgain = lookAgain;
        }

        void wake() {
            try {
                lookAgain.run();
            } catch (RuntimeException | Error failure) {
                log.error("a watcher failed: {}", failure.toString(), failure);
            }
        }

        @Override
        public void close() {
            byHash.computeIfPresent(hash, (same, watchers) -> {
                watchers.remove(this);
                return watchers.isEmpty() ? null : watchers;
            });
        }
    }
}
