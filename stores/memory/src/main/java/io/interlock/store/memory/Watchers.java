package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.spi.ChangeFeed.Subscription;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** Who wants to hear when a key may have become free, among all clients of one store. */
final class Watchers {

    private final ConcurrentHashMap<LockKey, Set<Watcher>> watchers = new ConcurrentHashMap<>();

    // Identity, not equality: the same client may watch a key twice with the same action.
    private static final class Watcher {
        private final Executor executor;
        private final Runnable lookAgain;

        Watcher(Executor executor, Runnable lookAgain) {
            this.executor = executor;
            this.lookAgain = lookAgain;
        }
    }

    /** Runs {@code lookAgain} by {@code executor} at every {@link #wake} of {@code key} until the subscription is closed. */
    Subscription add(LockKey key, Executor executor, Runnable lookAgain) {
        Watcher watcher = new Watcher(executor, lookAgain);
        watchers.compute(key, (k, known) -> {
            Set<Watcher> all = known == null ? ConcurrentHashMap.newKeySet() : known;
            all.add(watcher);
            return all;
        });
        return () -> watchers.computeIfPresent(key, (k, known) -> {
            known.remove(watcher);
            return known.isEmpty() ? null : known;
        });
    }

    void wake(LockKey key) {
        for (Watcher watcher : watchers.getOrDefault(key, Set.of())) {
            watcher.executor.execute(watcher.lookAgain);
        }
    }
}
