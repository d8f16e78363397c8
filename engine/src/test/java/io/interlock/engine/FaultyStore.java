package io.interlock.engine;

import io.interlock.StoreUnavailableException;
import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.RunStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** A store of which single steps can be made to fail, before they do anything or after. */
final class FaultyStore {

    private volatile boolean silent;
    private final RunStore store;
    private final Set<String> down = new HashSet<>();
    private final Set<String> deaf = new HashSet<>();
    private final Map<String, Runnable> slow = new HashMap<>();
    private final Map<String, Integer> calls = new HashMap<>();

    FaultyStore(RunStore store) {
        this.store = store;
    }

    /** Lets these steps fail without an effect. */
    void down(String... steps) {
        down.addAll(Set.of(steps));
    }

    /** Lets these steps take effect without anybody hearing of it. */
    void loseAnswers(String... steps) {
        deaf.addAll(Set.of(steps));
    }

    /** Lets the answers to {@code step} be on their way while {@code meanwhile} happens. */
    void slowAnswers(String step, Runnable meanwhile) {
        slow.put(step, meanwhile);
    }

    /** Lets everything work again. */
    void up() {
        down.clear();
        deaf.clear();
        slow.clear();
    }

    /** How often a step was asked for. */
    int calls(String step) {
        return calls.getOrDefault(step, 0);
    }

    /** Sends no wake-ups: they come on threads of their own, and nobody holds those in hand. */
    FaultyStore silent() {
        silent = true;
        return this;
    }

    RunStore store() {
        return (RunStore) Proxy.newProxyInstance(
                RunStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, (proxy, method, arguments) -> {
                    String step = method.getName();
                    calls.merge(step, 1, Integer::sum);
                    if (silent && step.equals("watchWork")) {
                        return (ChangeFeed.Subscription) () -> {};
                    }
                    if (down.contains(step)) {
                        throw new StoreUnavailableException("faulty", "does not answer to " + step);
                    }
                    Object answer;
                    try {
                        answer = method.invoke(store, arguments);
                    } catch (InvocationTargetException thrown) {
                        throw thrown.getCause();
                    }
                    slow.getOrDefault(step, () -> {}).run();
                    if (deaf.contains(step)) {
                        throw new StoreUnavailableException("faulty", "lost its answer to " + step);
                    }
                    return answer;
                });
    }
}
