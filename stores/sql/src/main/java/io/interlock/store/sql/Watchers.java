package io.interlock.store.sql;

import io.interlock.spi.ChangeFeed.Subscription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Those in this process who want to hear of something. Safe for use by many threads.
 *
 * @param <K> what there is to hear of: a key that may have become free, or a tenant that may have work
 */
final class Watchers<K> {

    private static final Logger log = LoggerFactory.getLogger(Watchers.class);

    private final Set<Watch> watches = new LinkedHashSet<>();

    synchronized Subscription add(K what, Runnable lookAgain) {
        Watch watch = new Watch(what, lookAgain);
        watches.add(watch);
        return watch;
    }

    synchronized boolean isEmpty() {
        return watches.isEmpty();
    }

    synchronized void clear() {
        watches.clear();
    }

    /** All that is watched. */
    synchronized Set<K> watched() {
        Set<K> watched = new HashSet<>();
        watches.forEach(watch -> watched.add(watch.what));
        return watched;
    }

    /** Calls those who want to hear of any of these, on this thread. */
    void call(Collection<? extends K> news) {
        for (Watch watch : watching(news)) {
            try {
                watch.lookAgain.run();
            } catch (RuntimeException | Error failure) {
                // The others are still to be woken.
                log.error("a watcher of {} failed to wake up", watch.what, failure);
            }
        }
    }

    private synchronized List<Watch> watching(Collection<? extends K> news) {
        List<Watch> found = new ArrayList<>(watches);
        found.removeIf(watch -> !news.contains(watch.what));
        return found;
    }

    // Not a record: two with equal parts are still two.
    private final class Watch implements Subscription {

        private final K what;
        private final Runnable lookAgain;

        Watch(K what, Runnable lookAgain) {
            this.what = what;
            this.lookAgain = lookAgain;
        }

        @Override
        public void close() {
            synchronized (Watchers.this) {
                watches.remove(this);
            }
        }
    }
}
