package io.interlock.engine.internal.worker;

import io.interlock.engine.WorkerEngine.WorkSource;
import io.interlock.engine.internal.runtime.Batches;
import io.interlock.engine.internal.runtime.EngineEvents;
import io.interlock.engine.internal.runtime.EngineSettings;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.runtime.EngineThreads.EngineTimers;

/**
 * The parts that do the work of runs, put together: all that an engine of a worker has, and a part of every engine on a store. It is
 * handed to no part; each part is handed what it uses.
 */
public record WorkerAssembly(
        EngineSettings.WorkSettings settings,
        EngineThreads threads,
        EngineTimers timers,
        Batches.Work batches,
        EngineEvents events,
        ActiveRuns activeRuns,
        Finisher finisher,
        WorkerPool workers) {

    public static WorkerAssembly of(EngineSettings.WorkSettings settings) {
        WorkSource source = settings.source();
        EngineThreads threads = settings.threads().get();
        EngineTimers timers = EngineTimers.of(settings.environment());
        Batches.Work batches = Batches.Work.of(source, threads);
        EngineEvents events = new EngineEvents(settings.listeners(), threads);
        ActiveRuns activeRuns = new ActiveRuns(source, threads, timers, events);
        Finisher finisher = new Finisher(batches, activeRuns, events, timers);
        Attempts attempts = new Attempts(source, threads, timers, activeRuns, finisher, settings.tracer());
        WorkerPool workers = new WorkerPool(settings, timers, activeRuns, attempts);
        events.onWork(workers::wake);
        finisher.onNext(workers::takeOver);
        return new WorkerAssembly(settings, threads, timers, batches, events, activeRuns, finisher, workers);
    }

    /**
     * Closes gracefully: takes no more work, lets the work under way go on with its heartbeats until it has ended or the drain time is
     * over, and tells what is left to stop. Only then do the threads end.
     *
     * @param endWaits ends waits, but for those of work under way
     */
    public void drain(Runnable endWaits, Runnable end) {
        boolean waited = false;
        try {
            workers.close();
            timers.claims().close();
            endWaits.run();
            waited = activeRuns.drain(settings.drainTime());
        } finally {
            end.run();
        }
        if (!waited) {
            Thread.currentThread().interrupt();
        }
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
