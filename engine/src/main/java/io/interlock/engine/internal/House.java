package io.interlock.engine.internal;

import io.interlock.engine.EngineClosedException;
import io.interlock.spi.ChangeFeed;
import io.interlock.time.Environment;
import io.interlock.time.LocalTime;
import io.interlock.time.Timers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts that live together behind one engine, and the timers they share: one that sends heartbeats, one that watches
 * deadlines and never blocks, one that takes work, and one that tidies up.
 */
final class House {

    private final EngineSettings settings;
    private final LocalTime time;
    private final Timers deadlines;
    private final Timers claims;
    private final Timers chores;
    private final Timers rounds;
    private final Lanes lanes;
    private final Events events;
    private final Works works;
    private final Heartbeats heartbeats;
    private final DeadlineWatch watch;
    private final Finisher finisher;
    private final Cancels cancels = new Cancels(this);
    private final NodeStops nodes;
    private final WorkerPool workers;
    private final Turns turns;
    private final EndWatches ends;
    private final Waits waits;
    private final Intake intake;
    private final SweepingJanitor janitor;
    private final Bookkeeping books = new Bookkeeping(this);
    private volatile boolean closed;

    House(EngineSettings settings) {
        Environment environment = settings.environment();
        this.settings = settings;
        this.time = new LocalTime(environment);
        this.deadlines = environment.timers("interlock-deadlines");
        this.claims = environment.timers("interlock-claims");
        this.chores = environment.timers("interlock-chores");
        this.rounds = environment.timers("interlock-janitor");
        this.lanes = new Lanes(settings.store(), settings.threads());
        this.events = new Events(settings.listeners(), settings.threads());
        this.works = new Works(this);
        this.heartbeats = new Heartbeats(this, environment.timers("interlock-heartbeats"));
        this.watch = new DeadlineWatch(this, deadlines);
        this.finisher = new Finisher(this, chores);
        this.workers = new WorkerPool(this, claims);
        this.turns = new Turns(this);
        this.ends = new EndWatches(this);
        this.waits = new Waits(settings.threads());
        this.intake = new Intake(this);
        this.nodes = new NodeStops(this);
        this.janitor = new SweepingJanitor(
                this,
                rounds,
                List.of(
                        new RunSweep(settings.store()),
                        nodes,
                        new LeaseSweep(settings.store()),
                        new HistorySweep(settings.store(), settings.books().retention())));
    }

    void open() {
        workers.start();
        janitor.start();
        books.start();
    }

    /** Lets nobody in any more: whether it was open. */
    synchronized boolean shut() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    /** Work under way is still let in: what it asks for is a part of it. */
    void requireOpen() {
        if (closed && !works.isAtWork(Thread.currentThread())) {
            throw closed();
        }
    }

    static EngineClosedException closed() {
        return new EngineClosedException();
    }

    /** Ends the timers that take in new work or judge others. */
    void closeRounds() {
        claims.close();
        rounds.close();
    }

    /** Ends everything; no heartbeat is sent any more. */
    void close() {
        closeRounds();
        books.close();
        ends.shut();
        heartbeats.close();
        deadlines.close();
        chores.close();
        settings.threads().closing().run();
        if (settings.closesStore()) {
            settings.store().close();
        }
    }

    /** Makes a call to the store that does not gather others, where nobody waits for it. Never throws. */
    <A> CompletionStage<A> called(Supplier<A> call) {
        try {
            return CompletableFuture.supplyAsync(call, settings.threads().calls());
        } catch (RejectedExecutionException shut) {
            // Its queue has no limit: it refuses nobody but those who come after it was shut.
            return CompletableFuture.failedFuture(closed());
        } catch (RuntimeException | Error noThread) {
            // Out of threads: whoever asks must hear of it, or it would wait for an answer for ever.
            return CompletableFuture.failedFuture(noThread);
        }
    }

    /** Wake-ups about work. */
    ChangeFeed.Subscription watchWork(@Nullable String tenant, Runnable look) {
        return settings.store().watchWork(tenant, look);
    }

    EngineSettings settings() {
        return settings;
    }

    EngineThreads threads() {
        return settings.threads();
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

    Lanes lanes() {
        return lanes;
    }

    Events events() {
        return events;
    }

    Works works() {
        return works;
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

    Cancels cancels() {
        return cancels;
    }

    NodeStops nodes() {
        return nodes;
    }

    WorkerPool workers() {
        return workers;
    }

    Turns turns() {
        return turns;
    }

    EndWatches ends() {
        return ends;
    }

    Waits waits() {
        return waits;
    }

    Bookkeeping books() {
        return books;
    }

    Intake intake() {
        return intake;
    }

    SweepingJanitor janitor() {
        return janitor;
    }
}
