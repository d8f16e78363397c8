package io.interlock.engine.internal.submit;

import io.interlock.batch.Coalescer;
import io.interlock.engine.internal.runtime.EngineThreads;
import io.interlock.engine.internal.worker.WorkBatches;
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
public final class RunBatches {

    private final Coalescer<SubmitRequest, SubmitAnswer> submits;
    private final Coalescer<TurnRequest, TurnAnswer> turns;
    private final Coalescer<AcquireRequest, AcquireAnswer> acquires;
    private final Coalescer<RenewRequest, RenewAnswer> renewals;
    private final Coalescer<ReleaseRequest, ReleaseAnswer> releases;

    private final WorkBatches work;

    public RunBatches(RunStore store, EngineThreads threads, WorkBatches work) {
        this.work = work;
        int inFlight = store.capabilities().parallelBatches();
        Executor calls = threads.calls();
        submits = new Coalescer<>(
                store::submit, request -> List.of(request.key()), WorkBatches.MAX_BATCH, inFlight, calls);
        turns = new Coalescer<>(
                store::takeTurn, request -> List.of(request.key()), WorkBatches.MAX_BATCH, inFlight, calls);
        acquires = new Coalescer<>(store::tryAcquire, AcquireRequest::keys, WorkBatches.MAX_BATCH, inFlight, calls);
        renewals = new Coalescer<>(
                store::renew,
                request -> List.of(request.key()),
                WorkBatches.MAX_BATCH,
                WorkBatches.RENEWALS_IN_FLIGHT,
                threads.heartbeats());
        releases = new Coalescer<>(
                store::release, request -> List.of(request.key()), WorkBatches.MAX_BATCH, inFlight, calls);
    }

    /** The steps of those who work. */
    public WorkBatches work() {
        return work;
    }

    public Coalescer<SubmitRequest, SubmitAnswer> submits() {
        return submits;
    }

    public Coalescer<TurnRequest, TurnAnswer> turns() {
        return turns;
    }

    public Coalescer<AcquireRequest, AcquireAnswer> acquires() {
        return acquires;
    }

    /** Apart from acquires, like heartbeats: a lease must not be lost behind those who want one. */
    public Coalescer<RenewRequest, RenewAnswer> renewals() {
        return renewals;
    }

    public Coalescer<ReleaseRequest, ReleaseAnswer> releases() {
        return releases;
    }
}
