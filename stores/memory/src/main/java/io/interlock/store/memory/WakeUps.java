package io.interlock.store.memory;

import io.interlock.spi.ChangeFeed.Subscription;
import io.interlock.time.Environment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The subscriptions of one client. Wake-ups run on a separate thread, so that a releasing thread never runs a waiter's
 * code; the thread exists only while there are wake-ups.
 */
final class WakeUps implements AutoCloseable {

    private final ThreadPoolExecutor executor;
    private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();

    WakeUps(Environment environment) {
        executor = new ThreadPoolExecutor(
                1,
                1,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                environment.threads("interlock-memory-wake-up"));
        executor.allowCoreThreadTimeOut(true);
        // After close, pending wake-ups are dropped.
        executor.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    <K> Subscription subscribe(Watchers<K> watchers, K what, Runnable lookAgain) {
        Subscription registered = watchers.add(what, executor, lookAgain);
        subscriptions.add(registered);
        return () -> {
            subscriptions.remove(registered);
            registered.close();
        };
    }

    @Override
    public void close() {
        executor.shutdown();
        subscriptions.forEach(Subscription::close);
        subscriptions.clear();
    }

    /**
     * The subscribers of all clients of one store.
     *
     * @param <K> the subject: a key that may have become free, or a tenant that may have work
     */
    static final class Watchers<K> {

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
}
