package io.interlock.engine.internal.wait;

import io.interlock.RunId;
import io.interlock.run.Run;
import io.interlock.spi.run.RunStore;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/** Those who wait for runs to end. */
public final class EndWatches {

    private final RunStore store;
    private final WaitScheduler waits;
    private final EngineLifecycle lifecycle;
    private final Map<RunId, EndWatch> watches = new ConcurrentHashMap<>();
    private volatile boolean closed;
    private volatile boolean shut;

    public EndWatches(RunStore store, WaitScheduler waits, EngineLifecycle lifecycle) {
        this.store = store;
        this.waits = waits;
        this.lifecycle = lifecycle;
    }

    /**
     * The run once it has ended, or as it stands when {@code maxWait} is over.
     *
     * @param atWork whether work under way waits, which is sent away last
     */
    public CompletableFuture<Optional<Run>> await(RunId run, Duration maxWait, boolean atWork) {
        lifecycle.requireOpen();
        CompletableFuture<Optional<Run>> result = new CompletableFuture<>();
        EndWatch watch = watch(run);
        while (!watch.join(result, maxWait, atWork)) {
            // It has just ended; the next one is ours, unless somebody else has begun it by now.
            forget(run, watch);
            watch = watch(run);
        }
        // It came after the others were sent away, and nobody would do that for it.
        if (shut) {
            shut();
        } else if (closed) {
            close();
        }
        return result;
    }

    private EndWatch watch(RunId run) {
        return watches.computeIfAbsent(run, id -> new EndWatch(store, waits, this, id));
    }

    /** Somebody saw {@code run} as it stands now. */
    public void noticed(Run run) {
        EndWatch watch = watches.get(run.id());
        if (watch != null && run.state().isTerminal()) {
            watch.ended(run);
        }
    }

    void forget(RunId run, EndWatch watch) {
        watches.remove(run, watch);
    }

    /** Sends everybody away but for work under way. */
    public void close() {
        closed = true;
        watches.values().forEach(EndWatch::close);
    }

    /** Sends away whoever is left. */
    public void shut() {
        shut = true;
        watches.values().forEach(EndWatch::shut);
    }
}
