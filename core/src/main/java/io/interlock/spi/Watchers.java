package io.interlock.spi;

import io.interlock.spi.ChangeFeed.Subscription;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The watchers of a store in this process, for its {@link ChangeFeed}. Safe for use by many threads.
 *
 * @param <K> what can change: a key that may have become free, or a tenant that may have work
 */
public final class Watchers<K> {

    private static final Logger log = LoggerFactory.getLogger(Watchers.class);

    private final Map<K, Set<Watch>> watches = new ConcurrentHashMap<>();

    /** Nothing is watched yet. */
    public Watchers() {}

    /** Calls {@code lookAgain} on changes of {@code what} until the subscription is closed. */
    public Subscription add(K what, Runnable lookAgain) {
        Watch watch = new Watch(what, lookAgain);
        watches.compute(what, (same, known) -> {
            Set<Watch> watchers = known == null ? ConcurrentHashMap.newKeySet() : known;
            watchers.add(watch);
            return watchers;
        });
        return watch;
    }

    /** Whether nothing is watched. */
    public boolean isEmpty() {
        return watches.isEmpty();
    }

    /** Forgets all watchers. */
    public void clear() {
        watches.clear();
    }

    public Set<K> watched() {
        return Set.copyOf(watches.keySet());
    }

    /** Calls the watchers of any of these, on this thread. */
    public void call(Collection<? extends K> news) {
        news.forEach(this::callThoseOf);
    }

    /** Calls the watchers of {@code what}, on this thread. */
    public void callThoseOf(K what) {
        watches.getOrDefault(what, Set.of()).forEach(Watch::call);
    }

    /** Calls all of them, because news may have been missed. */
    public void callAll() {
        watches.values().forEach(watchers -> watchers.forEach(Watch::call));
    }

    // Not a record: two with equal parts are still two.
    private final class Watch implements Subscription {

        private final K what;
        private final Runnable lookAgain;

        Watch(K what, Runnable lookAgain) {
            this.what = what;
            this.lookAgain = lookAgain;
        }

        void call() {
            try {
                lookAgain.run();
            } catch (RuntimeException | Error failure) {
                // The others are still to be called.
                log.error("a watcher of {} failed to wake up", what, failure);
            }
        }

        @Override
        public void close() {
            watches.computeIfPresent(what, (same, watchers) -> {
                watchers.remove(this);
                return watchers.isEmpty() ? null : watchers;
            });
        }
    }
}
