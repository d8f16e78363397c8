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

/**
 * Requests to the store, those of one kind made at the same time together.
 *
 * @param renewals apart from acquires, like heartbeats: a lease must not be lost behind requests for others
 * @param work those of work under way
 */
public record RunBatches(
        Coalescer<SubmitRequest, SubmitAnswer> submits,
        Coalescer<TurnRequest, TurnAnswer> turns,
        Coalescer<AcquireRequest, AcquireAnswer> acquires,
        Coalescer<RenewRequest, RenewAnswer> renewals,
        Coalescer<ReleaseRequest, ReleaseAnswer> releases,
        WorkBatches work) {

    public static RunBatches of(RunStore store, EngineThreads threads, WorkBatches work) {
        int inFlight = store.capabilities().parallelBatches();
        int most = WorkBatches.MAX_BATCH;
        Executor calls = threads.calls();
        return new RunBatches(
                new Coalescer<>(store::submit, request -> List.of(request.key()), most, inFlight, calls),
                new Coalescer<>(store::takeTurn, request -> List.of(request.key()), most, inFlight, calls),
                new Coalescer<>(store::tryAcquire, AcquireRequest::keys, most, inFlight, calls),
                new Coalescer<>(
                        store::renew,
                        request -> List.of(request.key()),
                        most,
                        WorkBatches.RENEWALS_IN_FLIGHT,
                        threads.heartbeats()),
                new Coalescer<>(store::release, request -> List.of(request.key()), most, inFlight, calls),
                work);
    }
}
