package io.interlock.server;

import io.interlock.StoreUnavailableException;
import io.interlock.spi.run.InterceptedStore;
import io.interlock.spi.run.RunStore;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/** A store that can be away. */
public final class AwayStore {

    private static final String URL = "postgresql://user:canary-password@db.internal/x";

    private static final Set<String> HARMLESS = Set.of("capabilities", "changes", "close");

    private final AtomicBoolean away = new AtomicBoolean();
    private final AtomicReference<String> step = new AtomicReference<>("");
    private final RunStore store;

    public AwayStore(RunStore behind) {
        store = InterceptedStore.of(behind, RunStore.class, call -> {
            boolean asks = !HARMLESS.contains(call.step());
            if ((away.get() && asks) || call.step().equals(step.get())) {
                throw new StoreUnavailableException(URL, "is away");
            }
            return call.proceed();
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
