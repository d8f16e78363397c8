package io.interlock.engine.internal;

import io.interlock.batch.Coalescer;
import io.interlock.run.BeatAnswer;
import io.interlock.run.FinishAnswer;
import io.interlock.run.TurnAnswer;
import io.interlock.spi.AcquireAnswer;
import io.interlock.spi.AcquireRequest;
import io.interlock.spi.ReleaseAnswer;
import io.interlock.spi.ReleaseRequest;
import io.interlock.spi.RenewAnswer;
import io.interlock.spi.RenewRequest;
import io.interlock.spi.run.BeatRequest;
import io.interlock.spi.run.FinishRequest;
import io.interlock.spi.run.RunStore;
import io.interlock.spi.run.SubmitAnswer;
import io.interlock.spi.run.SubmitRequest;
import io.interlock.spi.run.TurnRequest;

/** The way to the store: a lane for each kind of step, each of which gathers concurrent calls. */
final class Lanes {

    private static final int MAX_BATCH = 200;

    private final Coalescer<SubmitRequest, SubmitAnswer> submits;
    private final Coalescer<TurnRequest, TurnAnswer> turns;
    private final Coalescer<BeatRequest, BeatAnswer> beats;
    private final Coalescer<FinishRequest, FinishAnswer> finishes;
    private final Coalescer<AcquireRequest, AcquireAnswer> acquires;
    private final Coalescer<RenewRequest, RenewAnswer> renewals;
    private final Coalescer<ReleaseRequest, ReleaseAnswer> releases;

    Lanes(RunStore store, EngineThreads threads) {
        submits = new Coalescer<>(store::submit, MAX_BATCH, threads.calls());
        turns = new Coalescer<>(store::takeTurn, MAX_BATCH, threads.calls());
        beats = new Coalescer<>(store::beat, MAX_BATCH, threads.beats());
        finishes = new Coalescer<>(store::finish, MAX_BATCH, threads.calls());
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

    /** For heartbeats of others; those of this process make batches already. */
    Coalescer<BeatRequest, BeatAnswer> beats() {
        return beats;
    }

    Coalescer<FinishRequest, FinishAnswer> finishes() {
        return finishes;
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
