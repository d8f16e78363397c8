package io.interlock.engine.internal;

import io.interlock.engine.EngineClosedException;
import io.interlock.engine.WorkSource;
import io.interlock.log.AsideLog;
import io.interlock.run.Run;
import io.interlock.time.Environment;
import io.interlock.time.LocalTime;
import io.interlock.time.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The parts of an engine that do work together, whoever else lives in the house, and the timers they share: one that sends heartbeats,
 * one that watches deadlines and never blocks, one that takes work, and one for what may come late.
 */
final class Workshop {

    private final WorkSettings settings;
    private final EngineThreads threads;
    private final LocalTime time;
    private final Timers deadlines;
    private final Timers claims;
    private final Timers chores;
    private final AsideLog aside;
    private final WorkBatches batches;
    private final EventPublisher events;
    private final ActiveRuns activeRuns;
    private final Heartbeats heartbeats;
    private final DeadlineWatch watch;
    private final Finisher finisher;
    private final WorkerPool workers;

    /**
     * A workshop where nothing is done yet.
     *
     * @param over is told of runs whose attempt has ended here, as they stand then; returns at once
     */
    Workshop(WorkSettings settings, Consumer<Run> over) {
        Environment environment = settings.environment();
        this.settings = settings;
        this.threads = settings.threads().get();
        this.time = new LocalTime(environment);
        this.deadlines = environment.timers("interlock-deadlines");
        this.claims = environment.timers("interlock-claims");
        this.chores = environment.timers("interlock-chores");
        this.aside = new AsideLog(environment);
        this.batches = WorkBatches.of(settings.source(), threads);
        this.events = new EventPublisher(settings.listeners(), threads);
        this.activeRuns = new ActiveRuns(this);
        this.heartbeats = new Heartbeats(this, environment.timers("interlock-heartbeats"));
        this.watch = new DeadlineWatch(this, deadlines);
        this.finisher = new Finisher(this, chores, over);
        this.workers = new WorkerPool(this, claims);
    }

    /** Takes no more work, and waits for none of what it has. */
    void takeNoMore() {
        workers.close();
        claims.close();
    }

    /** Ends everything; no heartbeat is sent any more. */
    void close() {
        claims.close();
        heartbeats.close();
        deadlines.close();
        chores.close();
        threads.closing().run();
    }

    /** Where threads log that must not hang with the log. */
    AsideLog aside() {
        return aside;
    }

    /** Makes a call to the store that does not gather others, where nobody waits for it. Never throws. */
    <A> CompletionStage<A> called(Supplier<A> call) {
        try {
            return CompletableFuture.supplyAsync(call, threads.calls());
        } catch (RejectedExecutionException shut) {
            // Its queue has no limit: it refuses nobody but those who come after it was shut.
            return CompletableFuture.failedFuture(new EngineClosedException());
        } catch (RuntimeException | Error noThread) {
            // Out of threads: whoever asks must hear of it, or it would wait for an answer for ever.
            return CompletableFuture.failedFuture(noThread);
        }
    }

    WorkSettings settings() {
        return settings;
    }

    WorkSource source() {
        return settings.source();
    }

    EngineThreads threads() {
        return threads;
    }

    LocalTime time() {
        return time;
    }

    /** Timers whose tasks never block. */
    Timers deadlines() {
        return deadlines;
    }

    /** Timers for what may come late; their tasks never block. */
    Timers chores() {
        return chores;
    }

    WorkBatches batches() {
        return batches;
    }

    EventPublisher events() {
        return events;
    }

    ActiveRuns activeRuns() {
        return activeRuns;
    }

    Heartbeats heartbeats() {
        return heartbeats;
    }

    DeadlineWatch watch() {
        return watch;
    }

    Finisher finisher() {
        return finisher;
    }

    WorkerPool workers() {
        return workers;
    }
}
