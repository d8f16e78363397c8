package io.interlock.engine.internal;

import io.interlock.engine.EngineClosedException;
import io.interlock.engine.audit.AuditSealer;
import io.interlock.engine.audit.EndingsByRule;
import io.interlock.run.Run;
import io.interlock.time.LocalTime;
import io.interlock.time.Timers;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The parts that live together behind one engine on a store: the {@link Workshop}, those who wait for something, and those who tidy up.
 */
final class House {

    private final EngineSettings settings;
    private final Workshop shop;
    private final Timers rounds;
    private final RunBatches batches;
    private final Cancels cancels = new Cancels(this);
    private final OrphanNodeSweep nodes;
    private final Turns turns;
    private final EndWatches ends;
    private final Waits waits;
    private final Submitter submitter;
    private final SweepingJanitor janitor;
    private final BackgroundServices background = new BackgroundServices(this);
    private final AuditSealer sealer;
    private volatile boolean closed;

    House(EngineSettings settings) {
        this.settings = settings;
        this.shop = new Workshop(settings.work(), this::over);
        this.rounds = settings.environment().timers("interlock-janitor");
        this.batches = new RunBatches(settings.store(), shop.threads());
        this.turns = new Turns(this);
        this.ends = new EndWatches(this);
        this.waits = new Waits(shop.threads());
        this.submitter = new Submitter(this, new OpenRunLimit(shop, settings.store(), settings.maxOpenRuns()));
        this.nodes = new OrphanNodeSweep(this);
        this.sealer = new AuditSealer(settings.store(), new EndingsByRule(settings.store(), events()::tell));
        this.janitor = new SweepingJanitor(
                this,
                rounds,
                List.of(
                        new RunSweep(settings.store()),
                        nodes,
                        new LeaseSweep(settings.store()),
                        new HistorySweep(settings.store(), settings.background().retention())));
    }

    /** Seals the audit log, and tells of what rules ended. */
    AuditSealer sealer() {
        return sealer;
    }

    void open() {
        shop.workers().start();
        janitor.start();
        background.start();
    }

    /** Lets nobody in any more: whether it was open. */
    synchronized boolean shut() {
        boolean first = !closed;
        closed = true;
        return first;
    }

    /** Work under way is still let in: what it asks for is a part of it. */
    void requireOpen() {
        if (closed && !activeRuns().isAtWork(Thread.currentThread())) {
            throw closed();
        }
    }

    static EngineClosedException closed() {
        return new EngineClosedException();
    }

    /** Sends away those who wait, but for work under way, and judges nobody any more. */
    void sendAway() {
        rounds.close();
        turns.close();
        ends.close();
        waits.close();
    }

    /** Ends everything; no heartbeat is sent any more. */
    void close() {
        rounds.close();
        background.close();
        ends.shut();
        shop.close();
        if (settings.closesStore()) {
            settings.store().close();
        }
    }

    /** Who waits for the end of {@code run}, or works for it, may hear of it. */
    private void over(Run run) {
        ends.noticed(run);
        nodes.over(run);
    }

    /** Makes a call to the store that does not gather others, where nobody waits for it. Never throws. */
    <A> CompletionStage<A> called(Supplier<A> call) {
        return shop.called(call);
    }

    EngineSettings settings() {
        return settings;
    }

    Workshop shop() {
        return shop;
    }

    EngineThreads threads() {
        return shop.threads();
    }

    LocalTime time() {
        return shop.time();
    }

    /** Timers whose tasks never block. */
    Timers deadlines() {
        return shop.deadlines();
    }

    RunBatches batches() {
        return batches;
    }

    EventPublisher events() {
        return shop.events();
    }

    ActiveRuns activeRuns() {
        return shop.activeRuns();
    }

    Heartbeats heartbeats() {
        return shop.heartbeats();
    }

    Finisher finisher() {
        return shop.finisher();
    }

    Cancels cancels() {
        return cancels;
    }

    OrphanNodeSweep nodes() {
        return nodes;
    }

    WorkerPool workers() {
        return shop.workers();
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

    BackgroundServices background() {
        return background;
    }

    Submitter submitter() {
        return submitter;
    }

    SweepingJanitor janitor() {
        return janitor;
    }
}
