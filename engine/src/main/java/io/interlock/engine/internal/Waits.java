package io.interlock.engine.internal;

import io.interlock.time.Timers.Scheduled;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Those who wait for something that would never come once the engine is closed, and have to be sent away then. */
final class Waits {

    private final EngineThreads threads;
    private final Set<Leaving> all = new LinkedHashSet<>();
    private boolean closed;

    Waits(EngineThreads threads) {
        this.threads = threads;
    }

    /** How somebody is sent away. Identity, not equality. */
    private static final class Leaving {
        private final Runnable task;

        Leaving(Runnable task) {
            this.task = task;
        }
    }

    /** Runs {@code whenClosed} when the engine is closed, at once if it is; until what this returns is cancelled. */
    Scheduled add(Runnable whenClosed) {
        Leaving leaving = new Leaving(whenClosed);
        synchronized (this) {
            if (!closed) {
                all.add(leaving);
                return () -> remove(leaving);
            }
        }
        whenClosed.run();
        return () -> {};
    }

    void close() {
        List<Leaving> left;
        synchronized (this) {
            closed = true;
            left = new ArrayList<>(all);
            all.clear();
        }
        // Whoever waits may have chained anything to it, and whoever closes must not wait for that.
        left.forEach(leaving -> threads.tell(leaving.task));
    }

    private synchronized void remove(Leaving leaving) {
        all.remove(leaving);
    }
}
