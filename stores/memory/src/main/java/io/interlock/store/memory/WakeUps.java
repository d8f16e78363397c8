package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.spi.ChangeFeed;
import io.interlock.time.Environment;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * One client's change feed. Wake-ups come on a thread of their own, so that whoever releases a key never runs the code of
 * whoever waits for it; the thread is there only while there is something to say.
 */
final class WakeUps implements ChangeFeed, AutoCloseable {

    private final Watchers watchers;
    private final ThreadPoolExecutor executor;
    private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();

    WakeUps(Environment environment, Watchers watchers) {
        this.watchers = watchers;
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

    @Override
    public Subscription watch(LockKey key, Runnable lookAgain) {
        Subscription registered = watchers.add(key, executor, lookAgain);
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
