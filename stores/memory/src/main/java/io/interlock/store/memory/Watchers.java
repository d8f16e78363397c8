package io.interlock.store.memory;

import io.interlock.spi.ChangeFeed.Subscription;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/**
 * The subscribers of all clients of one store.
 *
 * @param <K> the subject: a key that may have become free, or a tenant that may have work
 */
final class Watchers<K> {

    private final ConcurrentHashMap<K, Set<Watcher>> watchers = new ConcurrentHashMap<>();

    // Identity, not equality: the same client may watch twice with the same action.
    private static final class Watcher {
        private final Executor executor;
        private final Runnable lookAgain;

        Watcher(Executor executor, Runnable lookAgain) {
            this.executor = executor;
            this.lookAgain = lookAgain;
        }
    }

    /**
     * Runs {@code lookAgain} by {@code executor} at every {@link #wake} of {@code what} until the subscription is
     * closed.
     */
    Subscription add(K what, Executor executor, Runnable lookAgain) {
        Watcher watcher = new Watcher(executor, lookAgain);
        watchers.compute(what, (k, known) -> {
            Set<Watcher> all = known == null ? ConcurrentHashMap.newKeySet() : known;
            all.add(watcher);
            return all;
        });
        return () -> watchers.computeIfPresent(what, (k, known) -> {
            known.remove(watcher);
            return known.isEmpty() ? null : known;
        });
    }

    void wake(K what) {
        for (Watcher watcher : watchers.getOrDefault(what, Set.of())) {
            watcher.executor.execute(watcher.lookAgain);
        }
    }
}
