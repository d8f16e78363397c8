package io.interlock.locks.internal;

import io.interlock.time.Environment;
import io.interlock.time.LocalTime;
import io.interlock.time.Timers;

/**
 * The parts that live together behind one {@link io.interlock.locks.Locks}, and the threads they share: one that renews,
 * one that watches deadlines and never blocks, and one that tidies up.
 */
final class House {

    private final LocksSettings settings;
    private final LocalTime time;
    private final Threads threads;
    private final Timers renewals;
    private final Timers deadlines;
    private final Timers chores;
    private final StoreLane lane;
    private final LeaseKeeper keeper;
    private final LossWatch watch;
    private final Door door = new Door();
    private final Leases leases = new Leases(this);
    private final Asker asker = new Asker(this);
    private final WaitLines lines = new WaitLines(this);
    private final Aftercare aftercare;
    private final Sweeper sweeper;

    House(LocksSettings settings) {
        Environment environment = settings.environment();
        this.settings = settings;
        this.time = new LocalTime(environment);
        this.threads = new Threads(environment);
        this.renewals = environment.timers("interlock-keeper");
        this.deadlines = environment.timers("interlock-watch");
        this.chores = environment.timers("interlock-chores");
        this.lane = new StoreLane(settings.store(), threads.calls());
        this.keeper = new LeaseKeeper(settings.store(), renewals, environment.ticker(), time, threads);
        this.watch = new LossWatch(deadlines, environment.ticker(), time, keeper::renewAllSoon);
        this.aftercare = new Aftercare(this, chores);
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

    StoreLane lane() {
        return lane;
    }

    LeaseKeeper keeper() {
        return keeper;
    }

    LossWatch watch() {
        return watch;
    }

    Door door() {
        return door;
    }

    Leases leases() {
        return leases;
    }

    Asker asker() {
        return asker;
    }

    WaitLines lines() {
        return lines;
    }

    Aftercare aftercare() {
        return aftercare;
    }
}
