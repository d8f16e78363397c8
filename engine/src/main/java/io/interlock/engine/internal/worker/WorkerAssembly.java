package io.interlock.engine.internal.worker;

import io.interlock.engine.WorkSource;
import io.interlock.engine.internal.runtime.EngineSignals;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.EngineTimers;
import io.interlock.engine.internal.runtime.EventPublisher;
import io.interlock.engine.internal.runtime.WorkSettings;

/**
 * The parts that do the work of runs, put together: all that an engine of a worker has, and a part of every engine on a store. It is
 * handed to no part; each part is handed what it uses.
 *
 * @param settings what it was set up with
 * @param threads where everything runs
 * @param timers clocks and timers
 * @param batches the way to the store
 * @param events tells listeners
 * @param activeRuns the runs this process has the leases of
 * @param finisher tells the store how attempts ended
 * @param workers take work
 */
public record WorkerAssembly(
        WorkSettings settings,
        EngineThreads threads,
        EngineTimers timers,
        WorkBatches batches,
        EventPublisher events,
        ActiveRuns activeRuns,
        Finisher finisher,
        WorkerPool workers) {

    public static WorkerAssembly of(WorkSettings settings, EngineSignals signals) {
        WorkSource source = settings.source();
        EngineThreads threads = settings.threads().get();
        EngineTimers timers = EngineTimers.of(settings.environment());
        WorkBatches batches = WorkBatches.of(source, threads);
        EventPublisher events = new EventPublisher(settings.listeners(), threads);
        ActiveRuns activeRuns = new ActiveRuns(source, threads, timers, events);
        Finisher finisher = new Finisher(batches, activeRuns, events, timers, signals);
        Attempts attempts = new Attempts(source, threads, timers, batches, activeRuns, finisher);
        WorkerPool workers = new WorkerPool(settings, timers, activeRuns, attempts);
        signals.onWork(workers::wake);
        return new WorkerAssembly(settings, threads, timers, batches, events, activeRuns, finisher, workers);
    }

    /** Takes no more work, and waits for none of what it has. */
    void takeNoMore() {
        workers.close();
        timers.claims().close();
    }

    /** Ends everything; no heartbeat is sent any more. */
    public void close() {
        timers.claims().close();
        activeRuns.stopHeartbeats();
        timers.deadlines().close();
        timers.chores().close();
        threads.closing().run();
    }
}
