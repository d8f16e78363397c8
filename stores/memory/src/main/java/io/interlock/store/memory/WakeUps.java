package io.interlock.store.memory;

import io.interlock.spi.ChangeFeed.Subscription;
import io.interlock.spi.Watchers;
import io.interlock.time.Environment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
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

    /** Calls {@code lookAgain} on changes of {@code what}, of which {@code watchers} are told, until the subscription is closed. */
    <K> Subscription subscribe(Watchers<K> watchers, K what, Runnable lookAgain) {
        Subscription registered = watchers.add(what, () -> executor.execute(lookAgain));
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
}
