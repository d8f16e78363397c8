package io.interlock.locks.internal;

import io.interlock.time.Environment;
import io.interlock.time.LocalTime;
import io.interlock.time.Timers;

/**
 * The parts that live together behind one {@link io.interlock.locks.Locks}, and the threads they share: one that renews,
 * one that watches deadlines and never blocks, and one that tidies up.
 */
final class LocksRuntime {

    private final LocksSettings settings;
    private final LocalTime time;
    private final Threads threads;
    private final Timers renewals;
    private final Timers deadlines;
    private final Timers chores;
    private final LeaseBatches batches;
    private final LeaseRenewer renewer;
    private final LossWatch watch;
    private final LifecycleGate gate = new LifecycleGate();
    private final Leases leases = new Leases(this);
    private final Acquirer acquirer = new Acquirer(this);
    private final WaitQueues lines = new WaitQueues(this);
    private final UnclearCallRecovery recovery;
    private final Sweeper sweeper;

    LocksRuntime(LocksSettings settings) {
        Environment environment = settings.environment();
        this.settings = settings;
        this.time = new LocalTime(environment);
        this.threads = new Threads(environment);
        this.renewals = environment.timers("interlock-renewal");
        this.deadlines = environment.timers("interlock-watch");
        this.chores = environment.timers("interlock-chores");
        this.batches = new LeaseBatches(settings.store(), threads.calls());
        this.renewer = new LeaseRenewer(settings.store(), renewals, environment.ticker(), time, threads);
        this.watch = new LossWatch(deadlines, environment.ticker(), time, renewer::renewAllSoon);
        this.recovery = new UnclearCallRecovery(this, chores);
        this.sweeper = new Sweeper(settings, chores, time);
    }

    void open() {
        sweeper.start();
    }

    /** Ends the threads; nothing is renewed any more. */
    void close() {
        renewals.close();
        deadlines.close();
        chores.close();
        threads.close();
        if (settings.closesStore()) {
            settings.store().close();
        }
    }

    LocksSettings settings() {
        return settings;
    }

    LocalTime time() {
        return time;
    }

    Threads threads() {
        return threads;
    }

    /** Timers whose tasks never block. */
    Timers deadlines() {
        return deadlines;
    }

    LeaseBatches batches() {
        return batches;
    }

    LeaseRenewer renewer() {
        return renewer;
    }

    LossWatch watch() {
        return watch;
    }

    LifecycleGate gate() {
        return gate;
    }

    Leases leases() {
        return leases;
    }

    Acquirer acquirer() {
        return acquirer;
    }

    WaitQueues lines() {
        return lines;
    }

    UnclearCallRecovery recovery() {
        return recovery;
    }
}
