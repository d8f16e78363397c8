package io.interlock.engine.internal;

import io.interlock.batch.Coalescer;
import io.interlock.run.TurnAnswer;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;

/** The way to the store: a lane for each kind of step, each of which gathers concurrent calls. */
final class Lanes {

    static final int MAX_BATCH = 200;

    private final Coalescer<SubmitRequest, SubmitAnswer> submits;
    private final Coalescer<TurnRequest, TurnAnswer> turns;
    private final Coalescer<AcquireRequest, AcquireAnswer> acquires;
    private final Coalescer<RenewRequest, RenewAnswer> renewals;
    private final Coalescer<ReleaseRequest, ReleaseAnswer> releases;

    Lanes(RunStore store, EngineThreads threads) {
        submits = new Coalescer<>(store::submit, MAX_BATCH, threads.calls());
        turns = new Coalescer<>(store::takeTurn, MAX_BATCH, threads.calls());
        acquires = new Coalescer<>(store::tryAcquire, MAX_BATCH, threads.calls());
        renewals = new Coalescer<>(store::renew, MAX_BATCH, threads.beats());
        releases = new Coalescer<>(store::release, MAX_BATCH, threads.calls());
    }

    Coalescer<SubmitRequest, SubmitAnswer> submits() {
        return submits;
    }

    Coalescer<TurnRequest, TurnAnswer> turns() {
        return turns;
    }

    Coalescer<AcquireRequest, AcquireAnswer> acquires() {
        return acquires;
    }

    /** Apart from acquires, like heartbeats: a lease must not be lost behind those who want one. */
    Coalescer<RenewRequest, RenewAnswer> renewals() {
        return renewals;
    }

    Coalescer<ReleaseRequest, ReleaseAnswer> releases() {
        return releases;
    }
}
