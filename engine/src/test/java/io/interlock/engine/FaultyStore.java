package io.interlock.engine;

import io.interlock.StoreUnavailableException;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.RunStore;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A store of which single steps can be made to fail, before they do anything or after. Safe for use by many threads. */
public final class FaultyStore {

    private volatile boolean silent;
    private final RunStore store;
    private final Set<String> down = ConcurrentHashMap.newKeySet();
    private final Set<String> deaf = ConcurrentHashMap.newKeySet();
    private final Map<String, Runnable> held = new ConcurrentHashMap<>();
    private final Map<String, Runnable> slow = new ConcurrentHashMap<>();
    private final Map<String, Integer> calls = new ConcurrentHashMap<>();

    /** A store that works like {@code store} until it is told otherwise. */
    public FaultyStore(RunStore store) {
        this.store = store;
    }

    /** Lets these steps fail without an effect. */
    public void down(String... steps) {
        down.addAll(Set.of(steps));
    }

    /** Lets these steps take effect without anybody hearing of it. */
    public void loseAnswers(String... steps) {
        deaf.addAll(Set.of(steps));
    }

    /** Lets {@code step} be on its way to the store while {@code meanwhile} happens. */
    public void slowQuestions(String step, Runnable meanwhile) {
        held.put(step, meanwhile);
    }

    /** Lets the answers to {@code step} be on their way while {@code meanwhile} happens. */
    public void slowAnswers(String step, Runnable meanwhile) {
        slow.put(step, meanwhile);
    }

    /** Lets everything work again. */
    public void up() {
        down.clear();
        deaf.clear();
        held.clear();
        slow.clear();
    }

    /** How often a step was asked for. */
    public int calls(String step) {
        return calls.getOrDefault(step, 0);
    }

    /** Sends no wake-ups: they come on threads of their own, which the test does not control. */
    public FaultyStore silent() {
        silent = true;
        return this;
    }

    /** The store that can fail. */
    public RunStore store() {
        return InterceptedStore.of(store, RunStore.class, call -> {
            String step = call.step();
            calls.merge(step, 1, Integer::sum);
            if (silent && step.equals("watchWork")) {
                return (ChangeFeed.Subscription) () -> {};
            }
            if (silent && step.equals("changes")) {
                return ChangeFeed.SILENT;
            }
            if (down.contains(step)) {
                throw new StoreUnavailableException("faulty", "does not answer to " + step);
            }
            held.getOrDefault(step, () -> {}).run();
            Object answer = call.proceed();
            slow.getOrDefault(step, () -> {}).run();
            if (deaf.contains(step)) {
                throw new StoreUnavailableException("faulty", "lost its answer to " + step);
            }
            return answer;
        });
    }
}
