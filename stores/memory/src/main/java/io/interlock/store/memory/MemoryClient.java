package io.interlock.store.memory;

import io.interlock.LockKey;
import io.interlock.RunId;
import io.interlock.StoreUnavailableException;
import io.interlock.run.Run;
import io.interlock.spi.Answers;
import io.interlock.spi.ChangeFeed.Subscription;
import io.interlock.spi.Watchers;
import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.rules.KeyState;
import io.interlock.time.Environment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One client of a store in memory: its way to the tables, until it is closed, and its wake-ups. These run on a separate
 * thread, so that a releasing thread never runs a waiter's code; the thread exists only while there are wake-ups. Thread-safe.
 */
final class MemoryClient implements AutoCloseable {

    private final RunTable table;
    private final ThreadPoolExecutor wakeUps;
    private final Set<Subscription> subscriptions = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    MemoryClient(Environment environment, RunTable table) {
        this.table = table;
        wakeUps = new ThreadPoolExecutor(
                1,
                1,
                10,
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                environment.threads("interlock-memory-wake-up"));
        wakeUps.allowCoreThreadTimeOut(true);
        // After close, pending wake-ups are dropped.
        wakeUps.setRejectedExecutionHandler(new ThreadPoolExecutor.DiscardPolicy());
    }

    /** The keys of this store, unless this client is closed. */
    RunTable table() {
        requireOpen();
        return table;
    }

    /** Reads or changes data that belongs to no key, exclusively. */
    <T extends @Nullable Object> T alone(Function<RunRows, T> step) {
        return table().alone(step);
    }

    /** {@code part}, of which each call is one step that excludes all others. */
    <P> P exclusively(Class<P> type, P part) {
        return InterceptedStore.of(part, type, call -> {
            synchronized (table().rows) {
                return call.proceed();
            }
        });
    }

    /** One step on the key of a run, if there is such a run. */
    <A> Optional<A> about(RunId id, BiFunction<KeyState, Run, A> rule) {
        return alone(rows -> rows.run(id))
                .flatMap(run ->
                        table.step(run.key(), state -> table.rows.run(id).map(known -> rule.apply(state, known))));
    }

    /** The run with this id, within a step. */
    @Nullable
    Run known(RunId id) {
        return table.rows.run(id).orElse(null);
    }

    <Q, A> Answers<A> answer(List<Q> requests, Function<Q, A> step) {
        requireOpen();
        return Answers.of(requests.stream().map(step).toList());
    }

    void wake(LockKey key) {
        table.watchers.callThoseOf(key);
    }

    /** Calls {@code lookAgain} on changes of {@code what}, of which {@code watchers} are told, until the subscription is closed. */
    <K> Subscription subscribe(Watchers<K> watchers, K what, Runnable lookAgain) {
        Subscription registered = watchers.add(what, () -> wakeUps.execute(lookAgain));
        subscriptions.add(registered);
        if (closed) {
            registered.close();
        }
        return () -> {
            subscriptions.remove(registered);
            registered.close();
        };
    }

    @Override
    public void close() {
        closed = true;
        wakeUps.shutdown();
        subscriptions.forEach(Subscription::close);
        subscriptions.clear();
    }

    private void requireOpen() {
        if (closed) {
            throw new StoreUnavailableException(MemoryStore.NAME, "is closed");
        }
    }
}
