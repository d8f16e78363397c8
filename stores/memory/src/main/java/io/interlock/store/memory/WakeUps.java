package io.interlock.store.memory;

import io.interlock.spi.ChangeFeed.Subscription;
import io.interlock.time.Environment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What one client listens to. Wake-ups come on a thread of their own, so that whoever releases a key never runs the code of
 * whoever waits for it; the thread is there only while there is something to say.
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
        // After close nobody listens any more; a wake-up on its way then is dropped.
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
}
