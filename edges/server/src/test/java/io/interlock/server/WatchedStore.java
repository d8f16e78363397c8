package io.interlock.server;

import io.interlock.spi.ChangeFeed;
import io.interlock.spi.run.RunStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;

/** A store that notes who asks it on an event loop: its methods block, and an event loop never may. */
final class WatchedStore {

    /** Data, not calls. */
    private static final Set<String> HARMLESS = Set.of("capabilities", "changes", "toString", "hashCode", "equals");

    private final Queue<String> blocked = new ConcurrentLinkedQueue<>();
    private final RunStore store;

    WatchedStore(RunStore behind) {
        store = (RunStore) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {RunStore.class}, (self, method, a) -> {
                    note(method);
                    Object answer = invoke(behind, method, a);
                    return answer instanceof ChangeFeed feed ? watched(feed) : answer;
                });
    }

    RunStore store() {
        return store;
    }

    /** What was asked on an event loop. */
    Queue<String> blocked() {
        return blocked;
    }

    private ChangeFeed watched(ChangeFeed feed) {
        return (ChangeFeed) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {ChangeFeed.class}, (self, method, a) -> {
                    note(method);
                    return invoke(feed, method, a);
                });
    }

    private void note(Method method) {
        if (Thread.currentThread().getName().startsWith("vert.x-eventloop") && !HARMLESS.contains(method.getName())) {
            blocked.add(method.getName());
        }
    }

    private static Object invoke(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException failure) {
            throw failure.getCause();
        }
    }
}
