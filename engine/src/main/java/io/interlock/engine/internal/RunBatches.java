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
import java.util.List;
import java.util.concurrent.Executor;

/** The way to the store: a lane for each kind of step, each of which gathers concurrent calls. */
final class RunBatches {

    static final int MAX_BATCH = 200;

    /** A batch of renewals or heartbeats waits for no row, and a store keeps few connections for them. */
    static final int RENEWALS_IN_FLIGHT = 1;

    private final Coalescer<SubmitRequest, SubmitAnswer> submits;
    private final Coalescer<TurnRequest, TurnAnswer> turns;
    private final Coalescer<AcquireRequest, AcquireAnswer> acquires;
    private final Coalescer<RenewRequest, RenewAnswer> renewals;
    private final Coalescer<ReleaseRequest, ReleaseAnswer> releases;

    private final WorkBatches work;

    RunBatches(RunStore store, EngineThreads threads, WorkBatches work) {
        this.work = work;
        int inFlight = store.capabilities().parallelBatches();
        Executor calls = threads.calls();
        submits = new Coalescer<>(store::submit, request -> List.of(request.key()), MAX_BATCH, inFlight, calls);
        turns = new Coalescer<>(store::takeTurn, request -> List.of(request.key()), MAX_BATCH, inFlight, calls);
        acquires = new Coalescer<>(store::tryAcquire, AcquireRequest::keys, MAX_BATCH, inFlight, calls);
        renewals = new Coalescer<>(
                store::renew, request -> List.of(request.key()), MAX_BATCH, RENEWALS_IN_FLIGHT, threads.heartbeats());
        releases = new Coalescer<>(store::release, request -> List.of(request.key()), MAX_BATCH, inFlight, calls);
    }

    /** The steps of those who work. */
    WorkBatches work() {
        return work;
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
