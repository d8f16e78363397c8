package io.interlock.server;

import io.interlock.StoreUnavailableException;
import io.interlock.spi.run.RunStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** A store that can be away. */
public final class AwayStore {

    private static final String URL = "postgresql://user:canary-password@db.internal/x";

    private final AtomicBoolean away = new AtomicBoolean();
    private final AtomicReference<String> step = new AtomicReference<>("");
    private final RunStore store;

    public AwayStore(RunStore behind) {
        store = (RunStore) Proxy.newProxyInstance(
                AwayStore.class.getClassLoader(), new Class<?>[] {RunStore.class}, (proxy, method, arguments) -> {
                    boolean asks = !method.getName().equals("capabilities")
                            && !method.getName().equals("changes")
                            && !method.getName().equals("close");
                    if ((away.get() && asks) || method.getName().equals(step.get())) {
                        throw new StoreUnavailableException(URL, "is away");
                    }
                    try {
                        return method.invoke(behind, arguments);
                    } catch (InvocationTargetException failure) {
                        throw failure.getCause();
                    }
                });
    }

    public RunStore store() {
        return store;
    }

    /** Answers everything but {@code step} from now on. */
    public void away(String onlyStep) {
        step.set(onlyStep);
    }

    /** Answers nothing from now on, or again. */
    public void away(boolean isAway) {
        away.set(isAway);
    }
}
